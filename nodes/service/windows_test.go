package service_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

func TestMemoryWindows(t *testing.T) {
	servicetest.Windows(t, func(t *testing.T, test func(*testing.T, servicetest.Passing)) {
		synctest.Test(t, func(t *testing.T) {
			test(t, servicetest.Passing{Windows: &service.MemoryWindows{}, Pass: time.Sleep}) //nolint:forbidigo // virtual time
		})
	})
}

// far simulates remote windows: each call takes time, and some requests and responses are lost.
type far struct {
	service.Windows

	takes  time.Duration // largest latency in each direction
	loses  int           // one of this many calls, on average, is lost; 0: none
	mu     sync.Mutex
	down   bool
	visits int
}

func (f *far) visited() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.visits
}

func (f *far) set(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

var errAway = errors.New("nobody answers")

// Lease implements [service.Windows].
func (f *far) Lease(ctx context.Context, c service.Claim) (service.Grant, error) {
	f.mu.Lock()
	f.visits++
	lost := f.down
	there, back := rand.N(f.takes), rand.N(f.takes)
	arrives := !lost
	if f.loses > 0 && rand.IntN(f.loses) == 0 {
		lost, arrives = true, arrives && rand.IntN(2) == 0
	}
	f.mu.Unlock()
	time.Sleep(there) //nolint:forbidigo // virtual time
	var g service.Grant
	var err error
	if arrives {
		g, err = f.Windows.Lease(ctx, c)
	}
	time.Sleep(back) //nolint:forbidigo // virtual time
	if lost {
		return service.Grant{}, errAway
	}
	return g, err
}

// counting is a network that counts each request at some moment before it responds.
type counting struct {
	takes time.Duration // largest latency before and after counting

	mu     sync.Mutex
	counts []time.Time
}

// RoundTrip implements [http.RoundTripper].
func (n *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(rand.N(n.takes)) //nolint:forbidigo // virtual time
	n.mu.Lock()
	n.counts = append(n.counts, time.Now())
	n.mu.Unlock()
	time.Sleep(rand.N(n.takes)) //nolint:forbidigo // virtual time
	return servicetest.JSON(200, `{"id":"7"}`)(r)
}

// most returns the largest number of requests in any span of the given length.
func (n *counting) most(span time.Duration) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return servicetest.MostIn(n.counts, span)
}

// limitedTo returns the settings of a network with a rate limit.
func limitedTo(requests int, per time.Duration) map[string]string {
	return map[string]string{"NET_API_URL": "https://other.example", "NET_RATE_LIMIT": fmt.Sprintf("%d/%s", requests, per)}
}

// ask makes calls until ctx ends. After a call that was rate limited it pauses.
func ask(ctx context.Context, a *service.API, pause, patience time.Duration) {
	for ctx.Err() == nil {
		within, cancel := context.WithTimeout(ctx, patience)
		_, err := a.Do(within, service.Call{Name: "me", Ref: "net:main"}, nil)
		cancel()
		if err != nil {
			time.Sleep(time.Second) //nolint:forbidigo // virtual time
		}
		time.Sleep(rand.N(pause)) //nolint:forbidigo // virtual time
	}
}

// Whatever the processes do, no span of the window's length has more requests than the
// limit. If there is enough demand, most of the limit is used.
func TestProcessesShareTheWindow(t *testing.T) {
	const limit, per, windows = 450, 15 * time.Minute, 3
	for _, test := range []struct {
		name           string
		clients        int // of each process
		pause, takes   time.Duration
		patience, away time.Duration
		loses, least   int
	}{
		{"all want more", 10, 100 * time.Millisecond, 100 * time.Millisecond, time.Hour, 20 * time.Millisecond, 0, 95},
		{"just enough", 2, 10 * time.Second, time.Second, time.Hour, 20 * time.Millisecond, 0, 95},
		{"without patience", 5, time.Second, 200 * time.Millisecond, 5 * time.Second, 20 * time.Millisecond, 0, 95},
		{"slow answers", 40, time.Second, 2 * time.Minute, time.Hour, 20 * time.Millisecond, 0, 50},
		{"far and unreliable", 20, time.Second, 10 * time.Second, 10 * time.Minute, 2 * time.Second, 5, 50},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept, network := &service.MemoryWindows{}, &counting{takes: test.takes}
				ctx, cancel := context.WithTimeout(t.Context(), windows*per)
				defer cancel()
				visits := 0
				var asking sync.WaitGroup
				var all []*far
				for range 4 {
					w := &far{Windows: kept, takes: test.away, loses: test.loses}
					all = append(all, w)
					a := process(t, w, network, limitedTo(limit, per))
					for range test.clients {
						asking.Go(func() { ask(ctx, a, test.pause, test.patience) })
					}
				}
				asking.Wait()
				time.Sleep(2 * per) //nolint:forbidigo // virtual time; until no visit is due
				for _, w := range all {
					visits += w.visited()
				}
				require.LessOrEqual(t, network.most(per), limit)
				t.Logf("%d requests in %d windows of %d: %d %%, with %d visits", len(network.counts), windows, limit, len(network.counts)*100/limit/windows, visits)
				require.GreaterOrEqual(t, len(network.counts)*100, test.least*limit*windows)
			})
		})
	}
}

// A limit that the network announces to one process is respected by the others.
func TestProcessesShareWhatIsAnnounced(t *testing.T) {
	for _, window := range []int{0, 450} {
		t.Run(fmt.Sprint(window), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				kept := &service.MemoryWindows{}
				stub := &servicetest.Stub{
					Answers: map[string]string{"GET /me": `{"id":"7"}`},
					Script:  []servicetest.Answer{servicetest.JSON(200, `{"id":"7"}`), servicetest.Reply(429, "", "Retry-After", "600")},
				}
				settings := limitedTo(window, time.Hour)
				if window == 0 {
					delete(settings, "NET_RATE_LIMIT")
				}
				one, other := process(t, kept, stub, settings), process(t, kept, stub, settings)
				_, err := within(t, other, time.Minute)
				require.NoError(t, err)
				_, err = within(t, one, time.Minute)
				require.Equal(t, node.CodeRateLimited, node.CodeOf(err))
				time.Sleep(service.LeaseLife) //nolint:forbidigo // virtual time
				_, err = within(t, other, time.Minute)
				require.Equal(t, node.CodeRateLimited, node.CodeOf(err))
				require.Len(t, stub.Requests(), 2)
				_, err = within(t, other, time.Hour)
				require.NoError(t, err)
				require.Equal(t, 10*time.Minute, stub.Requests()[2].At.Sub(stub.Requests()[1].At))
			})
		})
	}
}

// If the windows cannot be reached, only requests with leased places are sent, and only
// until the lease ends. Waiting requests continue when the windows are back.
func TestWindowsAreAway(t *testing.T) {
	for _, limit := range []int{0, 450} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testWindowsAreAway(t, limit) })
		})
	}
}

func testWindowsAreAway(t *testing.T, limit int) {
	settings := limitedTo(limit, 15*time.Minute)
	if limit == 0 {
		delete(settings, "NET_RATE_LIMIT")
	}
	w, network := &far{Windows: &service.MemoryWindows{}, takes: 20 * time.Millisecond}, &counting{takes: 20 * time.Millisecond}
	a := process(t, w, network, settings)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var asking sync.WaitGroup
	asking.Go(func() { ask(ctx, a, 200*time.Millisecond, time.Hour) })
	time.Sleep(15 * time.Second) //nolint:forbidigo // virtual time
	sent := func() int {
		network.mu.Lock()
		defer network.mu.Unlock()
		return len(network.counts)
	}
	w.set(true)
	before := sent()
	time.Sleep(service.LeaseLife + time.Second) //nolint:forbidigo // virtual time
	lapsed := sent()
	require.Greater(t, lapsed, before, "of what was leased")
	if limit > 0 {
		require.LessOrEqual(t, lapsed, before+limit/service.AheadOf)
	}
	time.Sleep(10 * time.Second) //nolint:forbidigo // virtual time
	require.Equal(t, lapsed, sent())
	w.set(false)
	time.Sleep(5 * time.Second) //nolint:forbidigo // virtual time
	require.Greater(t, sent(), lapsed)
	asking.Wait()
	time.Sleep(time.Hour) //nolint:forbidigo // virtual time; until no visit is due
}
