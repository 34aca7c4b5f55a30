package scene

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		121 * time.Microsecond: "0.1 ms", 9_960 * time.Microsecond: "10 ms", 342 * time.Millisecond: "342 ms",
		1240 * time.Millisecond: "1.24 s", 12 * time.Minute: "12 min",
	} {
		require.Equal(t, want, Briefly(d))
	}
}
