package exec

import (
	"fmt"
	"os"
)

// place names a folder that is open, wherever its name leads by now.
func place(dir *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", dir.Fd()) }
