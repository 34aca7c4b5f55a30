package statelog

import "github.com/svcflow/svc/store/internal/vfs"

// OpenState is [Open] with a given file system.
func OpenState(dir string, d vfs.FS) *Store { return openState(dir, d) }
