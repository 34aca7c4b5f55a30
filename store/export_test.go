package store

// What tests put faults into, and how they open a store on it.
type (
	Disk     = disk
	DiskFile = diskFile
	OSDisk   = osDisk
)

// OpenRuns is [FileRuns] on another disk.
func OpenRuns(dir string, o RunOptions, d Disk) (*RunFiles, error) { return openRuns(dir, o, d) }

// Segments returns o with so large segments.
func Segments(o RunOptions, size int64) RunOptions {
	o.segment = size
	return o
}

// OpenState is [FileState] on another disk.
func OpenState(dir string, d Disk) *StateFiles { return openState(dir, d) }
