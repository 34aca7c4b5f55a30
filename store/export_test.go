package store

import "log/slog"

// What tests put faults into, and how they open a store on it.
type (
	Disk     = disk
	DiskFile = diskFile
	OSDisk   = osDisk
)

// OpenRuns is [FileRuns] on another disk.
func OpenRuns(dir string, keep Retention, log *slog.Logger, d Disk) (*RunFiles, error) {
	return openRuns(dir, keep, log, d)
}
