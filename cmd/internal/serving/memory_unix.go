//go:build unix

package serving

import (
	"math"
	"syscall"
)

// dataPart is how much of what the system lets the process have as data (RLIMIT_DATA, as
// `ulimit -d` and systemd's LimitDATA= set it) is for Go's memory. There everything counts
// that Go has ever asked for, what it has given back and holes between values, too.
const dataPart = 0.8

// dataLimit returns how much of that is for Go; false if there is no limit.
func dataLimit() (bytes int64, limited bool) {
	var most syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &most) != nil {
		return 0, false
	}
	part := dataPart * float64(most.Cur)
	return int64(min(part, math.MaxInt64/2)), part < math.MaxInt64/2
}
