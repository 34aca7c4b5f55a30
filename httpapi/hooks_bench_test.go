package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// BenchmarkAcceptedHooks measures accepted hook calls. It compares them with a minimal server that
// writes each request to a file and syncs it, with group commit. Both get the same calls
// alternately, over 64 connections.
func BenchmarkAcceptedHooks(b *testing.B) {
	const callers, each = 64, 20
	dir := b.TempDir()
	s := withHooks(b, "", func(c *httpapi.Config) { c.DataDir = filepath.Join(dir, "data") })
	w := s.do("POST", "/workflows", orders("orders", "orders", "", "", ""))
	require.Equal(b, http.StatusCreated, w.Code, w.Body)
	require.Equal(b, http.StatusOK, s.do("POST", "/workflows/orders/activation", "").Code)
	file, err := os.Create(filepath.Join(dir, "bare"))
	require.NoError(b, err)
	defer func() { require.NoError(b, file.Close()) }()
	ours, bare := httptest.NewServer(s.Service), httptest.NewServer(&grouped{file: file})
	defer ours.Close()
	defer bare.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}}
	var hooks, limits []time.Duration
	for b.Loop() {
		limits = append(limits, callAll(b, client, bare.URL, callers, each)...)
		hooks = append(hooks, callAll(b, client, ours.URL+"/hooks/orders", callers, each)...)
	}
	of := func(all []time.Duration, share float64) time.Duration {
		slices.Sort(all)
		return all[int(float64(len(all)-1)*share)]
	}
	b.ReportMetric(float64(of(hooks, .99).Microseconds())/1000, "ms-p99")
	b.ReportMetric(float64(of(hooks, .99))/float64(of(limits, .99)), "p99/bare")
	b.ReportMetric(float64(of(hooks, .5))/float64(of(limits, .5)), "p50/bare")
}

// callAll makes calls and returns the duration of each.
func callAll(b *testing.B, client *http.Client, url string, callers, each int) []time.Duration {
	b.Helper()
	took := make([][]time.Duration, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			for n := range each {
				r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(fmt.Sprintf(`{"order":%d,"of":%d}`, n, i)))
				if err != nil {
					b.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Authorization", bearer)
				began := time.Now()
				answer, err := client.Do(r)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				switch answer.StatusCode {
				case http.StatusAccepted:
					took[i] = append(took[i], time.Since(began))
				case http.StatusServiceUnavailable: // the inbox is full
					<-time.After(10 * time.Millisecond)
				default:
					b.Errorf("%d", answer.StatusCode)
				}
			}
		})
	}
	group.Wait()
	return slices.Concat(took...)
}

// grouped is the minimal server.
type grouped struct {
	file *os.File

	mu      sync.Mutex
	waiting []chan struct{}
	busy    bool
}

// ServeHTTP implements [http.Handler].
func (g *grouped) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	done := make(chan struct{})
	g.mu.Lock()
	if err == nil {
		_, err = g.file.Write(body)
	}
	g.waiting = append(g.waiting, done)
	if !g.busy {
		g.busy = true
		go g.sync()
	}
	g.mu.Unlock()
	<-done
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// sync syncs the file as long as requests arrive.
func (g *grouped) sync() {
	for {
		g.mu.Lock()
		served := g.waiting
		if g.waiting = nil; len(served) == 0 {
			g.busy = false
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		_ = g.file.Sync()
		for _, done := range served {
			close(done)
		}
	}
}
