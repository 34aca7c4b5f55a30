package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
)

// pipes is a listener whose connections are pipes. They buffer nothing, so that a client that does
// not read blocks the server at once, and they work with fake time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// piped serves a service over pipes.
func piped(s http.Handler) (p *pipes, stop func()) {
	p = &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: s}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(p)
	}()
	return p, func() {
		_ = server.Close()
		<-done
	}
}

// subscribe requests the events of a run and returns the connection.
func (p *pipes) subscribe(t *testing.T, runID, lastEventID string) (*bufio.Reader, net.Conn) {
	t.Helper()
	conn := p.dial()
	r := newRequest("GET", "/executions/"+runID+"/events", "")
	if lastEventID != "" {
		r.Header.Set("Last-Event-ID", lastEventID)
	}
	require.NoError(t, r.Write(conn))
	return bufio.NewReader(conn), conn
}

// answer reads the head of an answer, which must be 200, and returns its header and body.
func answer(t *testing.T, in *bufio.Reader) (http.Header, io.Reader) {
	t.Helper()
	w, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, w.StatusCode)
	t.Cleanup(func() { _ = w.Body.Close() })
	return w.Header, w.Body
}

func TestQuietStreamHasComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open func()
		s := newService(t, func(c *httpapi.Config) { open = gate(c) })
		p, stop := piped(s.Service)
		defer stop()
		patient := strings.Replace(alone("test.wait"), `"test.wait"`, `"test.wait","timeoutMs":3600000`, 1)
		in, conn := p.subscribe(t, s.start(patient), "")
		defer conn.Close()
		header, stream := answer(t, in)
		require.Equal(t, "text/event-stream", header.Get("Content-Type"))
		require.Equal(t, "no-store", header.Get("Cache-Control"))
		require.Equal(t, "no", header.Get("X-Accel-Buffering"))
		body := bufio.NewReader(stream)
		requireLines(t, body, "id: 1", "event: started")
		requireLines(t, body, "id: 2", "event: started")

		began := time.Now()
		for i := range 3 {
			requireLines(t, body, ":")
			require.Equal(t, time.Duration(i+1)*15*time.Second, time.Since(began))
		}
		open()
		requireLines(t, body, "id: 3", "event: event")
		requireLines(t, body, "id: 4", "event: completed")
		_, err := body.ReadByte()
		require.Equal(t, io.EOF, err)
	})
}

// requireLines reads a frame and requires that it begins with these lines.
func requireLines(t *testing.T, in *bufio.Reader, lines ...string) {
	t.Helper()
	for i := 0; ; i++ {
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		if line == "\n" {
			return
		}
		if i < len(lines) {
			require.Equal(t, lines[i]+"\n", line)
		}
	}
}

// TestStalledClient has one client that does not read and another one, which must not be affected.
// It tests short and long frames.
func TestStalledClient(t *testing.T) {
	long := `{"id":"long","type":"text.format","config":{"template":"` + strings.Repeat("x", 60_000) + `"}},`
	for _, first := range []string{`{"id":"short","type":"text.format","config":{"template":"x"}},`, long} {
		testStalledClient(t, strings.Replace(alone("test.wait"), `"nodes":[`, `"nodes":[`+first, 1))
	}
}

func testStalledClient(t *testing.T, workflow string) {
	synctest.Test(t, func(t *testing.T) {
		var open func()
		s := newService(t, func(c *httpapi.Config) { open = gate(c) })
		p, stop := piped(s.Service)
		defer stop()
		runID := s.start(workflow)
		began := time.Now()
		stalled, conn := p.subscribe(t, runID, "")
		defer conn.Close()
		in, other := p.subscribe(t, runID, "")
		defer other.Close()
		_, body := answer(t, in)
		open()
		text, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Len(t, framesIn(t, string(text)), 5)
		require.Zero(t, time.Since(began), "nobody waited")

		time.Sleep(time.Minute) //nolint:forbidigo // fake time
		_, err = stalled.ReadByte()
		require.Equal(t, io.EOF, err, "it was cut")

		in, again := p.subscribe(t, runID, "3")
		defer again.Close()
		_, body = answer(t, in)
		text, err = io.ReadAll(body)
		require.NoError(t, err)
		frames := framesIn(t, string(text))
		require.Equal(t, "4", frames[0].id, "and goes on where it was")
		require.Equal(t, "completed", frames[1].event)
	})
}

// TestSlowClient reads a long frame slowly, and must not be disconnected.
func TestSlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		p, stop := piped(s.Service)
		defer stop()
		text := strings.Repeat("x", 300_000)
		in, conn := p.subscribe(t, s.start(strings.Replace(greet, "World", text, 1)), "")
		defer conn.Close()
		_, body := answer(t, in)
		got := ""
		for part := make([]byte, 32<<10); ; {
			n, err := io.ReadFull(body, part)
			if got += string(part[:n]); err != nil {
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				break
			}
			time.Sleep(10 * time.Second) //nolint:forbidigo // fake time
		}
		require.Equal(t, "Hello, "+text+"!", result(t, framesIn(t, got))["outputs"].(map[string]any)["greeting"])
	})
}

// TestComingBackToAQuietRun reconnects to a run without new events.
func TestComingBackToAQuietRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open func()
		s := newService(t, func(c *httpapi.Config) { open = gate(c) })
		p, stop := piped(s.Service)
		defer stop()
		in, conn := p.subscribe(t, s.start(alone("test.wait")), "2")
		defer conn.Close()
		_, body := answer(t, in)
		open()
		text, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Len(t, framesIn(t, string(text)), 2)
	})
}

// TestConnectionAfterAStream sends another request on the connection of a finished stream, after
// the write deadline of the stream.
func TestConnectionAfterAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, nil)
		p, stop := piped(s.Service)
		defer stop()
		in, conn := p.subscribe(t, s.start(greet), "")
		defer conn.Close()
		_, body := answer(t, in)
		_, err := io.ReadAll(body)
		require.NoError(t, err)
		time.Sleep(time.Hour) //nolint:forbidigo // fake time
		go func() { _ = newRequest("GET", "/nodes", "").Write(conn) }()
		_, body = answer(t, in)
		_, err = io.ReadAll(body)
		require.NoError(t, err)
	})
}

// TestFollowersOfALongRun sends frames of all sizes around the buffer size, and compares what
// followers receive with what the run did.
func TestFollowersOfALongRun(t *testing.T) {
	sizes := make(chan int)
	says := plugin{"test.says", func(ctx context.Context, _ map[string]any) (map[string]any, error) {
		for size := range sizes {
			node.Progress(ctx, 0, 0, strings.Repeat("x", size))
		}
		return map[string]any{"done": "yes"}, nil
	}}
	s := newService(t, func(c *httpapi.Config) { c.Plugins(says) })
	web := httptest.NewServer(s.Service)
	defer web.Close()
	runID := s.start(alone("test.says"))
	var followers sync.WaitGroup
	texts := make([]string, 4)
	for i := range texts {
		followers.Go(func() {
			r := newRequest("GET", web.URL+"/executions/"+runID+"/events", "")
			r.RequestURI = ""
			w, err := web.Client().Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Body.Close()
			text, err := io.ReadAll(w.Body)
			if err != nil {
				t.Error(err)
			}
			texts[i] = string(text)
		})
	}
	var want []int
	for size := 1; size < 200_000; size = size*3/2 + 1 {
		sizes <- size
		want = append(want, min(size, limit.Failure))
	}
	for size := 8000; size < 8300; size += 3 {
		sizes <- size
		want = append(want, min(size, limit.Failure))
	}
	close(sizes)
	followers.Wait()
	for _, text := range append(texts, s.do("GET", "/executions/"+runID+"/events", "").Body.String()) {
		require.Equal(t, texts[0], text)
		var got []int
		for _, f := range framesIn(t, text) {
			if f.event == "progress" {
				got = append(got, len(f.data["message"].(string)))
			}
		}
		require.Equal(t, want, got)
	}
}

// plainWriter is a writer without optional interfaces.
type plainWriter struct{ http.ResponseWriter }

// wrapper is the writer of a middleware.
type wrapper struct{ http.ResponseWriter }

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestMiddlewareAroundStreams(t *testing.T) {
	s := newService(t, nil)
	runID := s.start(greet)
	s.events(runID)
	r := func() *http.Request { return newRequest("GET", "/executions/"+runID+"/events", "") }

	w := httptest.NewRecorder()
	s.Service.ServeHTTP(wrapper{wrapper{w}}, r())
	require.Len(t, framesIn(t, w.Body.String()), 5)
	require.True(t, w.Flushed)

	w = httptest.NewRecorder()
	s.Service.ServeHTTP(wrapper{plainWriter{w}}, r())
	require.Contains(t, requireProblem(t, w, http.StatusInternalServerError, "streaming_impossible").Detail, "middleware")
}
