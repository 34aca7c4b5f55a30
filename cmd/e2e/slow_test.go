//go:build e2e && linux

package e2e_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

// slowBody is what a slow sender announces.
const slowBody = 60_000

// TestSlowSenders has many callers of a hook send what they announce a byte at a time. Others
// are answered meanwhile, and the slow ones, too, once they have sent it. `make hostile` says how many.
func TestSlowSenders(t *testing.T) {
	senders := trials.Count(t, "SVC_SLOW", 300)
	b := launch(t, start{mb: 512, args: []string{"--keep-runs", "1000000"}})
	b.do(http.StatusCreated, "POST", "/workflows", fmt.Sprintf(hooked, 1))
	b.do(http.StatusOK, "POST", "/workflows/hooked/activation", "")
	before := b.called(t, 100)

	slow := make([]net.Conn, senders)
	for i := range slow {
		// Each address may have 1,000 connections.
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%16))}, Timeout: 10 * time.Second}
		c, err := from.DialContext(t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
		require.NoError(t, err)
		slow[i] = c
		t.Cleanup(func() { _ = c.Close() })
		_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", hookPath, slowBody)
		require.NoError(t, err)
	}
	stop := make(chan struct{})
	var dripping sync.WaitGroup
	dripping.Go(func() {
		for {
			for i := range slow {
				select {
				case <-stop:
					return
				case <-time.After(time.Second / time.Duration(senders)):
				}
				_, _ = slow[i].Write([]byte("x")) // whether it is cut is seen below
			}
		}
	})
	beside := b.called(t, 100)
	close(stop)
	dripping.Wait()
	t.Logf("%d slow senders: others p50 %v, p99 %v; before them %v, %v", senders, beside[50], beside[98], before[50], before[98])

	// Those who get on with it are taken.
	c := slow[0]
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	_, err := c.Write([]byte(strings.Repeat("x", slowBody)))
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusAccepted, answer.StatusCode)
}

// called calls a hook n times and returns the durations, sorted. Each call is accepted.
func (b *binary) called(t *testing.T, calls int) []time.Duration {
	t.Helper()
	took := make([]time.Duration, calls)
	for i := range took {
		began := time.Now()
		b.do(http.StatusAccepted, "POST", hookPath, fmt.Sprint(i))
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took
}
