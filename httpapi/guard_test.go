package httpapi_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// visitors is a listener with simulated connections.
type visitors struct{ coming chan net.Conn }

func (v visitors) Accept() (net.Conn, error) {
	c, ok := <-v.coming
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (visitors) Close() error   { return nil }
func (visitors) Addr() net.Addr { return &net.TCPAddr{} }

// visitor is one end of a pipe with an address.
type visitor struct {
	net.Conn

	from string
}

func (v visitor) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(v.from), Port: 1} }

// entrance is a guarded listener and its accepted connections.
type entrance struct {
	t        *testing.T
	outside  visitors
	accepted chan net.Conn
}

func newEntrance(t *testing.T, g httpapi.Guard) *entrance {
	e := &entrance{t, visitors{make(chan net.Conn)}, make(chan net.Conn)}
	l := g.Listen(e.outside)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(e.accepted)
				return
			}
			e.accepted <- c
		}
	}()
	t.Cleanup(func() { close(e.outside.coming) })
	return e
}

// come connects from an address and checks whether the connection is accepted.
func (e *entrance) come(from string, in bool) (theirs, ours net.Conn) {
	e.t.Helper()
	theirs, inner := net.Pipe()
	e.outside.coming <- visitor{inner, from}
	if in {
		return theirs, <-e.accepted
	}
	_, err := theirs.Read(make([]byte, 1))
	require.ErrorIs(e.t, err, io.EOF)
	return nil, nil
}

func TestGuardCounts(t *testing.T) {
	e := newEntrance(t, httpapi.Guard{Connections: 4, PerAddress: 2})
	_, first := e.come("192.0.2.1", true)
	e.come("192.0.2.1", true)
	e.come("192.0.2.1", false)
	e.come("::ffff:192.0.2.1", false)
	e.come("2001:db8::1", true)
	e.come("2001:db8::2", true)
	e.come("2001:db8:0:1::1", false) // the fifth connection
	require.NoError(t, first.Close())
	_ = first.Close() // closing twice has no effect
	e.come("2001:db8::3", false)
	e.come("192.0.2.1", true)
	e.come("192.0.2.7", false)
}

func TestGuardStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, httpapi.Guard{})
		long := strings.Repeat("x", 1000)
		theirs, ours := e.come("192.0.2.1", true)
		go func() { // slow, but it reads
			for range len(long) {
				<-time.After(29 * time.Second)
				_, _ = theirs.Read(make([]byte, 1))
			}
		}()
		began := time.Now()
		n, err := io.WriteString(ours, long)
		require.NoError(t, err)
		require.Equal(t, len(long), n)
		require.Equal(t, 29*1000*time.Second, time.Since(began))

		_, ours = e.come("192.0.2.1", true)
		began = time.Now()
		_, err = io.WriteString(ours, long)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 30*time.Second, time.Since(began))
	})
}

// TestGuardCutsClientsThatReadOnlyAtFirst checks that a client that reads nothing after some bytes is
// cut 30 seconds after the last of them, and that nothing the server still writes waits again.
func TestGuardCutsClientsThatReadOnlyAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEntrance(t, httpapi.Guard{})
		theirs, ours := e.come("192.0.2.1", true)
		go func() { _, _ = theirs.Read(make([]byte, 100)) }()
		began := time.Now()
		_, err := io.WriteString(ours, strings.Repeat("x", 1000))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.InDelta(t, 30, time.Since(began).Seconds(), 1)
		_, err = io.WriteString(ours, "the rest")
		require.Error(t, err)
		require.InDelta(t, 30, time.Since(began).Seconds(), 1)
	})
}

// TestReadsNothing sends pipelined requests and reads no answers. The connection is cut off, by a
// guarded listener or by the service itself.
func TestReadsNothing(t *testing.T) {
	s := newService(t, nil)
	server := httptest.NewUnstartedServer(s)
	server.Listener = httpapi.Guard{Stall: 50 * time.Millisecond}.Listen(server.Listener)
	cut := make(chan struct{}, 1)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			cut <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	request := strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n", 100)
	require.NoError(t, c.SetWriteDeadline(time.Now().Add(20*time.Second)))
	for err == nil {
		_, err = io.WriteString(c, request)
	}
	require.False(t, errors.Is(err, os.ErrDeadlineExceeded), "it goes on for ever")
	<-cut
}

// writeDeadlines counts write deadlines.
type writeDeadlines struct {
	*httptest.ResponseRecorder

	set int
}

func (d *writeDeadlines) SetWriteDeadline(time.Time) error { d.set++; return nil }

// TestDeadlinesMove sends a long answer and checks that the deadline is extended.
func TestDeadlinesMove(t *testing.T) {
	s := newService(t, nil)
	body := `{"id":"x","nodes":[{"id":"v","type":"control.value","config":{"value":"` + strings.Repeat("x", 1<<20) + `"}},{"id":"o","type":"io.output","config":{"name":"o"}}],
		"connections":[{"fromNodeId":"v","fromPort":"value","toNodeId":"o","toPort":"value"}]}`
	w := &writeDeadlines{ResponseRecorder: httptest.NewRecorder()}
	s.ServeHTTP(w, newRequest("POST", "/execute", body))
	require.Equal(t, http.StatusOK, w.Code)
	require.Greater(t, w.Body.Len(), 1<<20)
	require.GreaterOrEqual(t, w.set, 16)
}
