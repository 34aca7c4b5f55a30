//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRunLimit starts a thousand runs at once that do not end: exactly ten are accepted.
func TestRunLimit(t *testing.T) {
	const parallel, places = 1000, 10
	b := launch(t, start{args: []string{"--max-per-address", "2000"}})
	replies := make([]reply, parallel)
	var group sync.WaitGroup
	for i := range replies {
		group.Go(func() {
			var err error
			if replies[i], err = b.try("POST", "/executions", waiting); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	var started []string
	for _, r := range replies {
		if r.status == http.StatusAccepted {
			started = append(started, field(t, r, "runId"))
			continue
		}
		require.Equal(t, http.StatusServiceUnavailable, r.status, string(r.body))
		require.Equal(t, "run_limit", field(t, r, "code"))
		require.NotEmpty(t, r.header.Get("Retry-After"))
	}
	require.Len(t, started, places)
	require.Equal(t, http.StatusOK, b.do(http.StatusOK, "POST", "/execute", quick).status, "synchronous runs have places of their own")

	for _, runID := range started {
		b.do(http.StatusAccepted, "POST", "/executions/"+runID+"/cancel", "")
		b.waitFor(runID, "cancelled")
	}
	require.Eventually(t, func() bool {
		r, err := b.try("POST", "/executions", quick)
		return err == nil && r.status == http.StatusAccepted
	}, time.Minute, time.Millisecond, "the places are free again")
	var page struct{ Items []json.RawMessage }
	require.NoError(t, json.Unmarshal(b.do(http.StatusOK, "GET", "/executions?status=cancelled", "").body, &page))
	require.Len(t, page.Items, places)
}

// TestSlowClients has thousands of clients who never finish their requests,
// and asks the server for its usual work meanwhile.
func TestSlowClients(t *testing.T) {
	b := launch(t, start{args: []string{"--max-per-address", "10000"}})
	const halfOpen, slowBodies, asked = 5000, 500, 1000
	before := b.quietest(asked)

	conns := make([]net.Conn, 0, halfOpen+slowBodies)
	for range halfOpen {
		conns = append(conns, b.dial())
		_, err := io.WriteString(conns[len(conns)-1], "GET /workflows HTTP/1.1\r\nHost: x\r\n")
		require.NoError(t, err)
	}
	head := fmt.Sprintf("POST /execute HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{", binaryKey)
	for range slowBodies {
		conns = append(conns, b.dial())
		_, err := io.WriteString(conns[len(conns)-1], head)
		require.NoError(t, err)
	}
	during := b.quietest(asked)
	t.Logf("p99 of a run: %v alone, %v beside %d slow clients (×%.2f)", before, during, len(conns), float64(during)/float64(before))
	require.Less(t, during, 20*time.Second, "they block no other caller")

	// A request has ten seconds for its head. One whose head is whole may take
	// longer for its body, but not for ever.
	require.NoError(t, conns[0].SetReadDeadline(time.Now().Add(time.Minute)))
	_, err := io.Copy(io.Discard, conns[0])
	require.NoError(t, err, "the server has closed the connection")
}

// quietest returns the best of three p99 latencies, for on a shared machine the
// other tests measure that.
func (b *binary) quietest(n int) time.Duration {
	return min(b.latencies(n), b.latencies(n), b.latencies(n))
}

// latencies runs a workflow over and over on eight connections, and returns the
// latency that one in a hundred exceeds.
func (b *binary) latencies(n int) time.Duration {
	b.t.Helper()
	const clients = 8
	took := make([][]time.Duration, clients)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for range n / clients {
				began := time.Now()
				if r, err := b.try("POST", "/execute", quick); err != nil || r.status != http.StatusOK {
					b.t.Errorf("%d %v", r.status, err)
					return
				}
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	group.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	if len(all) == 0 {
		return time.Minute // nobody was answered, which was said
	}
	return all[len(all)*99/100]
}
