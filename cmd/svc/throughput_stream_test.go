package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkThroughputStreams measures asynchronous runs of the built server, from
// their start to the end of their streams, against bare net/http that streams what
// it does and keeps nothing (testdata/limit), over eight connections and over one. The
// server writes its journals to the disk.
func BenchmarkThroughputStreams(b *testing.B) {
	limit := startLimit(b, buildFor(b, "./testdata/limit"))
	server := startServer(b, buildFor(b, "."))
	document := chainDocument("W6", 1)
	for name, connections := range map[string]int{"W6_vs_bare_stream": 8, "W6_c1_vs_bare_stream": 1} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				const pairs, length = 3, 2 * time.Second
				followRuns(b, limit, connections, document, length/4)
				followRuns(b, server, connections, document, length/4)
				var ratios, limits, servers []float64
				for range pairs {
					l, s := followRuns(b, limit, connections, document, length), followRuns(b, server, connections, document, length)
					limits, servers, ratios = append(limits, l), append(servers, s), append(ratios, s/l)
				}
				b.ReportMetric(0, "ns/op") // says nothing here
				b.ReportMetric(median(limits), "limit-runs/s")
				b.ReportMetric(median(servers), "svc-runs/s")
				b.ReportMetric(median(ratios), "ratio")
			}
		})
	}
}

// followRuns starts runs and follows each to its end, on some connections, and
// returns how many ended per second.
func followRuns(b *testing.B, p *process, connections int, document []byte, length time.Duration) float64 {
	b.Helper()
	start := p.post("/executions", document)
	var runs atomic.Int64
	var group sync.WaitGroup
	began := time.Now()
	for range connections {
		group.Go(func() {
			n, err := p.followOn(start, began.Add(length))
			runs.Add(n)
			if err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
	return float64(runs.Load()) / time.Since(began).Seconds()
}

// followOn is one connection's loop.
func (p *process) followOn(start []byte, deadline time.Time) (runs int64, err error) {
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 64<<10)
	for ; time.Now().Before(deadline); runs++ {
		text, err := exchange(conn, in, start, http.StatusAccepted)
		if err != nil {
			return runs, err
		}
		var run struct{ RunID string }
		if err := json.Unmarshal(text, &run); err != nil {
			return runs, err
		}
		get := fmt.Appendf(nil, "GET /executions/%s/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", run.RunID, p.addr, p.key)
		if text, err = exchange(conn, in, get, http.StatusOK); err != nil {
			return runs, err
		}
		if !bytes.Contains(text, []byte("\nevent: completed\n")) {
			return runs, fmt.Errorf("a stream without its end: %s", text)
		}
	}
	return runs, nil
}

// exchange sends a request and reads its answer.
func exchange(conn net.Conn, in *bufio.Reader, request []byte, status int) ([]byte, error) {
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return text, err
}
