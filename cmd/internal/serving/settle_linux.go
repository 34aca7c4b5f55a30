package serving

import (
	"os"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// leavePages unmaps the pages of the executable from this process. They stay in the system's
// page cache, so a page that is needed again causes no disk access. Errors do no harm.
func leavePages() {
	own, err := os.Executable()
	if err != nil {
		return
	}
	self, err := procfs.Self()
	if err != nil {
		return
	}
	parts, err := self.ProcMaps()
	if err != nil {
		return
	}
	for _, part := range parts {
		if part.Pathname == own && !part.Perms.Write {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, part.StartAddr, part.EndAddr-part.StartAddr, unix.MADV_DONTNEED)
		}
	}
}
