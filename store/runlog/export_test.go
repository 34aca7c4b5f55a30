package runlog

import "github.com/svcflow/svc/store/internal/vfs"

// OpenRuns is [Open] with a given file system.
func OpenRuns(dir string, o Options, d vfs.FS) (*Store, error) { return openRuns(dir, o, d) }

// Segments returns o with a segment size.
func Segments(o Options, size int64) Options {
	o.segment = size
	return o
}
