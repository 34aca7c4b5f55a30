package exec

import (
	"fmt"
	"os"
)

// place returns a path of an open folder that stays valid if the folder is renamed.
func place(dir *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", dir.Fd()) }
