package clusterdb_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// windows returns rate windows in a database. It simulates the passing of time by moving stored
// times into the past.
func (s server) windows(t *testing.T) servicetest.Passing {
	t.Helper()
	url := s.migrated(t)
	return servicetest.Passing{Windows: clusterdb.NewWindows(s.open(t, url).DB()), Pass: func(d time.Duration) { s.pass(t, url, d) }}
}

func (s server) pass(t *testing.T, url string, d time.Duration) {
	t.Helper()
	s.exec(t, url, fmt.Sprintf(`update svc_windows set opens = opens - interval '%[1]d us'; update svc_closed_calls set until = until - interval '%[1]d us'`, d.Microseconds()))
}

// counter is a network that counts requests.
type counter struct {
	mu     sync.Mutex
	counts []time.Time
}

// RoundTrip implements [http.RoundTripper].
func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.counts = append(c.counts, time.Now())
	c.mu.Unlock()
	return servicetest.JSON(http.StatusOK, `{"id":"7"}`)(r)
}

func (c *counter) most(span time.Duration) (most, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return servicetest.MostIn(c.counts, span), len(c.counts)
}

// testWindowsOfProcesses uses several stores that share only the database, like processes.
func testWindowsOfProcesses(t *testing.T, s server) {
	const limit, per, spans = 50, 2 * time.Second, 3
	url, counted := s.migrated(t), &counter{}
	networks, err := network.Shipped().With(network.Network{Name: "net", Hosts: []string{"real.example"}})
	require.NoError(t, err)
	settings := map[string]string{"NET_API_URL": "https://other.example", "NET_RATE_LIMIT": fmt.Sprintf("%d/%s", limit, per)}
	routes := []byte(`{"profiles":{"spec":{"calls":{"me":{"method":"GET","path":"/me"}}},"live":{"calls":{"me":{"method":"GET","path":"/me"}}}}}`)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var asking sync.WaitGroup
	for range 4 {
		a := service.NewAPI(service.Network{Name: "net", Routes: routes}, service.Config{
			Networks: networks, Getenv: func(name string) string { return settings[name] },
			Credentials: servicetest.Hold(t.Context(), "net:main"), Windows: clusterdb.NewWindows(s.open(t, url).DB()), Transport: counted,
		})
		for range 10 {
			asking.Go(func() {
				for ctx.Err() == nil {
					_, _ = a.Do(ctx, service.Call{Name: "me", Ref: "net:main"}, nil) // fails at the end, when ctx is done
					if _, all := counted.most(per); all >= limit*spans {
						cancel()
					}
				}
			})
		}
	}
	asking.Wait()
	most, all := counted.most(per)
	require.Equal(t, limit, most)
	require.GreaterOrEqual(t, all, limit*spans)

	kept := s.open(t, url)
	s.pass(t, url, time.Hour)
	require.NoError(t, clusterdb.Tidy(t.Context(), kept.DB()))
	s.exec(t, url, `do $$ begin if exists (select from svc_windows) then raise 'places are left'; end if; end $$`)
}
