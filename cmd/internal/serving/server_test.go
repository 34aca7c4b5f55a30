package serving

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// running is a service with one route, which starts a run and waits for it.
type running struct {
	url     string
	stop    context.CancelFunc // as a signal does
	entered chan struct{}
	release chan struct{}
	stopped chan error
}

// ServeHTTP implements http.Handler.
func (r *running) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/state" {
		_, _ = io.WriteString(w, "serving")
		return
	}
	r.entered <- struct{}{}
	select {
	case <-r.release:
		_, _ = io.WriteString(w, "finished")
	case <-req.Context().Done():
		_, _ = io.WriteString(w, "cut")
	}
}

// startServing starts a server. Its Close calls closing with a context that ends after grace.
func startServing(t *testing.T, grace time.Duration, closing func(context.Context, *running) error) *running {
	t.Helper()
	r := &running{entered: make(chan struct{}), release: make(chan struct{}), stopped: make(chan error, 1)}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.url = "http://" + listener.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	s := closer{r, func(ctx context.Context) error { return closing(ctx, r) }}
	go func() {
		r.stopped <- serve(ctx, &entrance{Listener: listener}, s, grace, slog.New(slog.DiscardHandler))
	}()
	return r
}

// closer is a service whose Close is a function.
type closer struct {
	http.Handler

	closing func(context.Context) error
}

func (c closer) Close(ctx context.Context) error { return c.closing(ctx) }

// get sends a request and returns a channel for its answer.
func (r *running) get(t *testing.T, path string) <-chan string {
	t.Helper()
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get(r.url + path)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- string(body)
	}()
	return answer
}

func TestServeFinishesWhatItHas(t *testing.T) {
	closing := make(chan struct{})
	r := startServing(t, time.Minute, func(ctx context.Context, r *running) error {
		close(closing)
		select {
		case <-r.release: // as the run does
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	answer := r.get(t, "/")
	<-r.entered
	r.stop()
	<-closing
	require.Equal(t, "serving", <-r.get(t, "/state"), "clients can still ask for their runs")
	select {
	case err := <-r.stopped:
		t.Fatalf("it stopped before its request was answered: %v", err)
	default:
	}
	close(r.release)
	require.Equal(t, "finished", <-answer)
	require.NoError(t, <-r.stopped)
	_, err := net.Dial("tcp", r.url[len("http://"):])
	require.Error(t, err)
}

func TestServeInterruptsWhatOutlastsTheGrace(t *testing.T) {
	r := startServing(t, 10*time.Millisecond, func(ctx context.Context, r *running) error {
		<-ctx.Done()
		close(r.release)
		return nil
	})
	answer := r.get(t, "/")
	<-r.entered
	r.stop()
	require.Equal(t, "finished", <-answer, "its caller hears of it")
	require.NoError(t, <-r.stopped)
}

func TestServeReportsALostListener(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	closed := false
	s := closer{http.NotFoundHandler(), func(ctx context.Context) error {
		closed = true
		return ctx.Err() // nobody waits for runs
	}}
	err = serve(t.Context(), &entrance{Listener: listener}, s, 0, slog.New(slog.DiscardHandler))
	require.ErrorIs(t, err, net.ErrClosed)
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, closed)
}
