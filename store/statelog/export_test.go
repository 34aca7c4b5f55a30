package statelog

import "github.com/svcflow/svc/store/internal/vfs"

// OpenState is [Open] on another disk.
func OpenState(dir string, d vfs.FS) *Store { return openState(dir, d) }
