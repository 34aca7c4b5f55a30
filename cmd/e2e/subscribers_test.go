//go:build e2e && linux

package e2e_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
)

// TestSubscribers has 2,000 clients, or the number in SVC_SUBSCRIBERS, follow one run of a
// thousand events. One more client reads nothing.
func TestSubscribers(t *testing.T) {
	subscribers := trials.Count(t, "SVC_SUBSCRIBERS", 2_000)
	const events, mostEach = 1000, 40_000 // bytes
	gate := newGate(t)
	b := launch(t, start{args: []string{"--http-allow", "127.0.0.0/8", "--max-connections", "20000", "--max-per-address", "2000"}})
	b.latencies(200)
	runID := b.start(gated(gate.URL, events))
	b.subscribe(t, runID, "127.0.0.1", 0) // reads nothing
	before := b.resident()

	var connected, group sync.WaitGroup
	seen := make([]followed, subscribers)
	connected.Add(subscribers)
	for i := range seen {
		group.Go(func() {
			seen[i] = b.follow(runID, fmt.Sprintf("127.0.0.%d", 2+i%8), connected.Done)
		})
	}
	connected.Wait()
	waiting := b.resident()
	began := time.Now()
	gate.open()
	group.Wait()
	took, after := time.Since(began), b.resident()
	resumed := 0
	for i := range seen {
		resumed += seen[i].resumed
	}
	each := func(resident int) int { return (resident - before) / subscribers }
	t.Logf("%d subscribers: %d bytes each while they wait, %d at the end; %v for all events; %d were cut and came back",
		subscribers, each(waiting), each(after), took, resumed)
	for i := range seen {
		require.NoError(t, seen[i].err)
		require.Equal(t, events, seen[i].events)
		require.Equal(t, seen[0].digest, seen[i].digest, "everybody gets the same")
	}
	require.LessOrEqual(t, each(waiting), mostEach)
	require.LessOrEqual(t, each(after), mostEach)
	b.stop()
}

// gate is a server whose answers wait until it is opened.
type gate struct {
	*httptest.Server
	open context.CancelFunc
}

func newGate(t *testing.T) gate {
	t.Helper()
	ctx, open := context.WithCancel(t.Context())
	g := gate{httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ctx.Done() })), open}
	t.Cleanup(func() { open(); g.Close() })
	return g
}

// gated is a workflow that waits for a gate and makes the given number of events.
func gated(url string, events int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"id":"gated","nodes":[{"id":"gate","type":"io.http_request","timeoutMs":600000,"config":{"url":%q}}`, url)
	nodes := events - 4 // the run's start and end, the gate's start and end
	for i := range nodes {
		fmt.Fprintf(&b, `,{"id":"n%d","type":"text.format","config":{"template":"{x}."}}`, i)
	}
	b.WriteString(`],"connections":[{"fromNodeId":"gate","fromPort":"body","toNodeId":"n0","toPort":"x"}`)
	for i := 1; i < nodes; i++ {
		fmt.Fprintf(&b, `,{"fromNodeId":"gate","fromPort":"body","toNodeId":"n%d","toPort":"x"}`, i)
	}
	b.WriteString("]}")
	return b.String()
}

// subscribe asks for the events of a run from an address of this machine, for
// each of which there are some thousands of ports.
func (b *binary) subscribe(t testing.TB, runID, from string, lastEventID int) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", b.host())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "GET /executions/%s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nLast-Event-ID: %d\r\n\r\n", runID, binaryKey, lastEventID)
	require.NoError(t, err)
	return conn
}

// followed is what a subscriber has seen.
type followed struct {
	events  int // whole ones
	digest  uint64
	resumed int // how often it was cut, and came back
	err     error
}

// follow follows a run to its end. Like every client it comes back when it is
// cut, which happens to those that a busy machine starves. It calls connected
// when its first stream has begun.
func (b *binary) follow(runID, from string, connected func()) (f followed) {
	for ; ; f.resumed++ {
		conn := b.subscribe(b.t, runID, from, f.events)
		in := bufio.NewReaderSize(conn, 2<<10)
		answer, err := http.ReadResponse(in, nil)
		if f.resumed == 0 {
			connected()
		}
		if err == nil {
			err = f.read(answer)
		}
		_ = conn.Close()
		if err == nil || f.err != nil {
			return f
		}
	}
}

// read reads a stream up to the terminal event. Its error is the connection's;
// what is wrong with the events is f.err.
func (f *followed) read(answer *http.Response) error {
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		f.err = errors.New(answer.Status)
		return f.err
	}
	frame, name, begins := fnv.New64a(), "", true
	for body := bufio.NewReaderSize(answer.Body, 2<<10); ; {
		piece, err := body.ReadSlice('\n') // of a line, which may be long
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		frame.Write(piece)
		if begins {
			field, text, _ := strings.Cut(strings.TrimSpace(string(piece)), ": ")
			switch field {
			case "id":
				if text != strconv.Itoa(f.events+1) {
					f.err = fmt.Errorf("event %s comes behind %d", text, f.events)
					return f.err
				}
			case "event":
				name = text
			case "":
				if name != "" { // else it was a comment
					f.events++
					f.digest = f.digest*31 + frame.Sum64()
				}
				if name == "completed" || name == "failed" {
					return nil
				}
				name = ""
				frame.Reset()
			}
		}
		begins = err == nil
	}
}
