//go:build unix

package serving

import (
	"math"
	"syscall"
)

// dataPart is the fraction of RLIMIT_DATA (`ulimit -d`, systemd's LimitDATA=) for Go's memory.
// The system counts all address space that Go has ever requested, including what Go has
// returned, and fragmentation.
const dataPart = 0.8

// dataLimit returns the part of that limit for Go; false without a limit.
func dataLimit() (bytes int64, limited bool) {
	var most syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &most) != nil {
		return 0, false
	}
	part := dataPart * float64(most.Cur)
	return int64(min(part, math.MaxInt64/2)), part < math.MaxInt64/2
}
