package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkThroughput measures the built server against bare net/http doing the
// same work (testdata/limit), each in a separate process, in turn, over 64
// connections unless the name says otherwise; W5, which is about waiting and not about
// work, also over 8, and W4 over one. One run is enough: go test -bench Throughput -benchtime 1x.
//
// GOGC and GOMEMLIMIT reach the limit as they are set; the server has its own
// defaults unless they are.
func BenchmarkThroughput(b *testing.B) {
	program := buildFor(b, "./testdata/limit")
	limit, stub := startLimit(b, program), startLimit(b, program)
	server := startServer(b, buildFor(b, "."))
	inputs, orders, address := inputsOf("hello"), inputsOf(ordersText(1000)), inputsOf("http://"+stub.addr+"/wait")
	w1, w100, w3, w5 := chainDocument("W1", 1), chainDocument("W2_100", 100), fanDocument("W3", 100), fetchDocument("W5", 20)
	for _, document := range [][]byte{w1, w100, w3, ordersDocument("W4"), w5} {
		server.save(b, document)
	}
	for _, w := range []struct {
		name          string
		connections   int
		limit, server []byte
	}{
		{"W1_by_id_vs_limit", 64, limit.post("/small/1", inputs), server.post("/workflows/W1/run", inputs)},
		{"W2_100_by_id_vs_limit", 64, limit.post("/small/100", inputs), server.post("/workflows/W2_100/run", inputs)},
		{"W3_by_id_vs_limit", 64, limit.post("/small/100", inputs), server.post("/workflows/W3/run", inputs)},
		{"W4_by_id_c1_vs_limit", 1, limit.post("/orders", orders), server.post("/workflows/W4/run", orders)},
		{"W4_by_id_vs_limit", 64, limit.post("/orders", orders), server.post("/workflows/W4/run", orders)},
		{"W5_by_id_vs_limit", 8, limit.post("/fetch/20", address), server.post("/workflows/W5/run", address)},
		{"W5_by_id_c64_vs_limit", 64, limit.post("/fetch/20", address), server.post("/workflows/W5/run", address)},
		{"W1_by_id_vs_limit-full", 64, limit.post("/full", w1), server.post("/workflows/W1/run", inputs)},
		{"W2_100_by_id_vs_limit-full", 64, limit.post("/full", w100), server.post("/workflows/W2_100/run", inputs)},
		{"W3_by_id_vs_limit-full", 64, limit.post("/full", w3), server.post("/workflows/W3/run", inputs)},
		{"W1_posted_vs_limit-full", 64, limit.post("/full", w1), server.post("/execute", w1)},
		{"W2_100_posted_vs_limit-full", 64, limit.post("/full", w100), server.post("/execute", w100)},
		{"W3_posted_vs_limit-full", 64, limit.post("/full", w3), server.post("/execute", w3)},
		{"W5_posted_c64_vs_limit", 64, limit.post("/fetch/20", address), server.post("/execute", withInputs(w5, address))},
	} {
		b.Run(w.name, func(b *testing.B) {
			for b.Loop() {
				compare(b, w.connections, asked{limit, w.limit}, asked{server, w.server})
			}
		})
	}
}

// asked is a process and what it is asked over and over.
type asked struct {
	*process
	request []byte
}

// compare runs both sides in turn and reports the medians: of the ratio of answers per
// second, of how many times as long the slowest one in a hundred takes, and of how many times
// as much of the processors an answer takes, which others on the machine change little.
func compare(b *testing.B, connections int, limit, server asked) {
	b.Helper()
	const pairs, length = 3, 2 * time.Second
	limit.costing(b, connections, length/4)
	server.costing(b, connections, length/4)
	var ratios, times, spent, limits, servers []float64
	for range pairs {
		l, cost := limit.costing(b, connections, length)
		s, more := server.costing(b, connections, length)
		limits, servers = append(limits, l.rate), append(servers, s.rate)
		ratios, times, spent = append(ratios, s.rate/l.rate), append(times, float64(s.p99)/float64(l.p99)), append(spent, more/cost)
	}
	b.ReportMetric(0, "ns/op") // says nothing here
	b.ReportMetric(median(limits), "limit-req/s")
	b.ReportMetric(median(servers), "svc-req/s")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(times), "p99-times")
	b.ReportMetric(median(spent), "cpu-times")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// loaded is what came of a load.
type loaded struct {
	rate float64       // answers per second
	p99  time.Duration // what one answer in a hundred exceeds
}

// load sends request over and over on some connections. Every answer has to be 200.
func load(b *testing.B, connections int, addr string, request []byte, length time.Duration) loaded {
	b.Helper()
	took := make([][]time.Duration, connections)
	var group sync.WaitGroup
	start := time.Now()
	deadline := start.Add(length)
	for i := range connections {
		group.Go(func() {
			var err error
			if took[i], err = hammer(addr, request, deadline); err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
	rate := time.Since(start).Seconds()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	if len(all) == 0 {
		b.Fatal("nobody was answered")
	}
	return loaded{float64(len(all)) / rate, all[len(all)*99/100]}
}

// hammer is one connection's loop. It reads no more of an answer than it must, so
// that the client costs little.
func hammer(addr string, request []byte, deadline time.Time) (took []time.Duration, err error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	for began := time.Now(); began.Before(deadline); {
		if err := c.exchange(request); err != nil {
			return took, err
		}
		now := time.Now()
		took = append(took, now.Sub(began))
		began = now
	}
	return took, nil
}

// sender is a connection that requests are sent on, one after the other.
type sender struct {
	net.Conn
	in *bufio.Reader
}

func dial(addr string) (*sender, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &sender{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

// exchange sends a request and reads its answer, which has to be 200.
func (c *sender) exchange(request []byte) error {
	if _, err := c.Write(request); err != nil {
		return err
	}
	return readAnswer(c.in)
}

func readAnswer(in *bufio.Reader) error {
	length := -1
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return fmt.Errorf("answer: %s", line)
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	if length < 0 {
		return errors.New("an answer without Content-Length")
	}
	_, err := in.Discard(length)
	return err
}

// process is a server that the benchmark has started.
type process struct {
	addr  string
	key   string
	pid   int
	began time.Time
	ready time.Duration // from its start to its first answer
	stop  func()
}

const benchKey = "for-the-benchmark-only"

// buildFor builds a program of this folder as it is shipped, but for flags.
func buildFor(b *testing.B, pkg string, flags ...string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "program")
	build := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), pkg)...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(b, err, string(out))
	return path
}

// startLimit starts the limit, which prints its address first.
func startLimit(b *testing.B, path string) *process {
	b.Helper()
	cmd := exec.Command(path)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	start(b, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(b, err)
	return &process{addr: strings.TrimSpace(line), pid: cmd.Process.Pid}
}

// startServer starts svc serve and waits until it answers.
func startServer(b *testing.B, path string, args ...string) *process {
	b.Helper()
	return serve(b, path, b.TempDir(), args...)
}

// serve starts a server on a directory.
func serve(b *testing.B, path, data string, args ...string) *process {
	b.Helper()
	return serveBy(b, exec.Command(path), data, args...)
}

// serveBy starts a server by a command, to which the arguments of the server are added.
func serveBy(b *testing.B, cmd *exec.Cmd, data string, args ...string) *process {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	addr := listener.Addr().String()
	require.NoError(b, listener.Close())
	cmd.Args = append(append(cmd.Args, "serve", "--addr", addr, "--data", data, "--http-allow", "127.0.0.0/8"), args...)
	cmd.Env = append(os.Environ(), "SVC_API_KEY="+benchKey)
	cmd.Stderr = io.Discard
	began := time.Now()
	stop := start(b, cmd)
	require.Eventually(b, func() bool {
		answer, err := http.Get("http://" + addr + "/")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, 5*time.Minute, time.Millisecond)
	return &process{addr: addr, key: benchKey, pid: cmd.Process.Pid, began: began, ready: time.Since(began), stop: stop}
}

// start starts a program in a new session, as systemd does: Linux shares the processors
// among sessions first. It returns what stops the program before the benchmark ends.
func start(b *testing.B, cmd *exec.Cmd) (stop func()) {
	b.Helper()
	inSession(cmd)
	require.NoError(b, cmd.Start())
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	b.Cleanup(stop)
	return stop
}

// post returns the bytes of one request.
func (p *process) post(path string, body []byte) []byte {
	var request bytes.Buffer
	fmt.Fprintf(&request, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, p.addr, len(body))
	if p.key != "" {
		fmt.Fprintf(&request, "Authorization: Bearer %s\r\n", p.key)
	}
	request.WriteString("\r\n")
	request.Write(body)
	return request.Bytes()
}

func (p *process) save(b *testing.B, document []byte) {
	b.Helper()
	p.ask(b, http.MethodPost, "/workflows", document)
}
