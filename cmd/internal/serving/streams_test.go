package serving

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/svcflow/svc/engine/limit"
)

// busyService counts the requests that are being answered.
type busyService struct {
	mu         sync.Mutex
	busy, most int
}

// ServeHTTP implements http.Handler.
func (s *busyService) ServeHTTP(http.ResponseWriter, *http.Request) {
	s.count(1)
	defer s.count(-1)
}

func (s *busyService) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += n
	s.most = max(s.most, s.busy)
}

func (s *busyService) peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (*busyService) Close(context.Context) error { return nil }

// serveBusy serves s over HTTP/1.1 and HTTP/2 until the test ends.
func serveBusy(t *testing.T, s *busyService) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() {
		stopped <- serve(ctx, &entrance{Listener: listener, h2c: true}, s, time.Second, slog.New(slog.DiscardHandler))
	}()
	c, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, c.Close())
		stop()
		require.NoError(t, <-stopped)
	})
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return c
}

// Pipelined requests on a connection are answered one by one.
func TestRequestsSentAhead(t *testing.T) {
	const n = 200
	s := &busyService{}
	c := serveBusy(t, s)
	_, err := io.WriteString(c, strings.Repeat("GET / HTTP/1.1\r\nHost: x\r\n\r\n", n))
	require.NoError(t, err)
	in := bufio.NewReader(c)
	for range n {
		answer, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
	}
	require.Equal(t, 1, s.peak())
}

// Over HTTP/2 the server announces how many simultaneous requests a client may have.
func TestRequestsAtOnce(t *testing.T) {
	c := serveBusy(t, &busyService{})
	_, err := io.WriteString(c, http2.ClientPreface)
	require.NoError(t, err)
	f := http2.NewFramer(c, c)
	require.NoError(t, f.WriteSettings())
	first, err := f.ReadFrame()
	require.NoError(t, err)
	settings, ok := first.(*http2.SettingsFrame)
	require.True(t, ok, "%v", first)
	most, ok := settings.Value(http2.SettingMaxConcurrentStreams)
	require.True(t, ok)
	require.EqualValues(t, limit.Streams, most)
}
