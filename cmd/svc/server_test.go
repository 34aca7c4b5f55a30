package main

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

// running is a server whose one route says that it was entered and then waits.
type running struct {
	url     string
	stop    context.CancelFunc // as a signal does
	entered chan struct{}
	release chan struct{}
	stopped chan error
}

func startServing(t *testing.T, grace time.Duration) *running {
	t.Helper()
	r := &running{entered: make(chan struct{}), release: make(chan struct{}), stopped: make(chan error, 1)}
	handler := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.entered <- struct{}{}
		select {
		case <-r.release:
			_, _ = io.WriteString(w, "finished")
		case <-req.Context().Done():
			_, _ = io.WriteString(w, "cancelled")
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r.url = "http://" + listener.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() { r.stopped <- serve(ctx, listener, handler, grace, slog.New(slog.DiscardHandler)) }()
	return r
}

// get sends a request and returns where its answer will be.
func (r *running) get(t *testing.T) <-chan string {
	t.Helper()
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get(r.url)
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
	r := startServing(t, time.Minute)
	answer := r.get(t)
	<-r.entered
	r.stop()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", r.url[len("http://"):])
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, 5*time.Second, time.Millisecond, "it takes no new connections")
	select {
	case err := <-r.stopped:
		t.Fatalf("it stopped before its request was answered: %v", err)
	default:
	}
	close(r.release)
	require.Equal(t, "finished", <-answer)
	require.NoError(t, <-r.stopped)
}

func TestServeCancelsWhatOutlastsTheGrace(t *testing.T) {
	r := startServing(t, 10*time.Millisecond)
	answer := r.get(t)
	<-r.entered
	r.stop()
	require.Equal(t, "cancelled", <-answer)
	require.NoError(t, <-r.stopped)
}

func TestServeReportsALostListener(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	require.Error(t, serve(t.Context(), listener, http.NotFoundHandler(), 0, slog.New(slog.DiscardHandler)))
}
