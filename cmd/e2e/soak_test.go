//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSoak starts fifty runs a second for five seconds, or for as long as `make soak`
// says, and follows every tenth. The resources of the server must not grow with their number.
func TestSoak(t *testing.T) {
	length := 5 * time.Second
	if text := os.Getenv("SVC_SOAK"); text != "" {
		var err error
		length, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	const pause, atOnce = 20 * time.Millisecond, 20
	b := launch(t, start{})
	b.latencies(200)
	begin := b.holds()
	t.Logf("at the start: %+v", begin)

	var clients sync.WaitGroup
	var refused int
	every, sample := time.NewTicker(pause), time.NewTicker(length/10)
	defer every.Stop()
	defer sample.Stop()
	places := make(chan struct{}, atOnce)
	end := time.Now().Add(length)
	started := 0
	for time.Now().Before(end) {
		select {
		case <-sample.C:
			t.Logf("after %d runs, %d refused: %+v", started, refused, b.holds())
		case <-every.C:
			r, err := b.try("POST", "/executions", quick)
			require.NoError(t, err)
			if r.status == http.StatusServiceUnavailable {
				refused++
				continue
			}
			require.Equal(t, http.StatusAccepted, r.status, string(r.body))
			runID := field(t, r, "runId")
			if started++; started%10 == 0 {
				places <- struct{}{}
				clients.Go(func() {
					defer func() { <-places }()
					if f, _ := b.frames(runID); len(f) != 3 {
						t.Errorf("%d events of %s", len(f), runID)
					}
				})
			}
		}
	}
	clients.Wait()
	b.client.CloseIdleConnections()
	require.Eventually(t, func() bool {
		now := b.holds()
		return now.Goroutines <= begin.Goroutines+10 && now.Files <= begin.Files+10
	}, time.Minute, 100*time.Millisecond, "%+v", b.holds)
	last := b.holds()
	t.Logf("%d runs, %d refused, at the end: %+v", started, refused, last)
	b.stop()
}

// holdings is what a server holds on to.
type holdings struct {
	Goroutines, Files, MB int
}

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

func (b *binary) holds() holdings {
	b.t.Helper()
	m := goroutines.FindSubmatch(b.do(http.StatusOK, "GET", "/metrics", "").body)
	require.NotNil(b.t, m)
	n, err := strconv.Atoi(string(m[1]))
	require.NoError(b.t, err)
	return holdings{n, b.descriptors(), b.resident() >> 20}
}

// String implements fmt.Stringer.
func (h holdings) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d MB", h.Goroutines, h.Files, h.MB)
}
