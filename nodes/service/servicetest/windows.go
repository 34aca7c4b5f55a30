package servicetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/service"
)

// Passing is an implementation of [service.Windows] whose clock a test can advance.
type Passing struct {
	service.Windows

	Pass func(d time.Duration)
}

// Windows is the test suite for implementations of [service.Windows]. on runs a test with
// an implementation that no other test uses.
func Windows(t *testing.T, on func(t *testing.T, test func(t *testing.T, w Passing))) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Passing){
		"places": testPlaces, "answered": testAnswered, "unused": testUnused, "lapsed": testLapsed, "ahead": testAhead,
		"claimed twice": testClaimedTwice, "fewer requests": testFewerRequests, "closed calls": testClosedCalls, "at once": testAtOnce,
	} {
		t.Run(name, func(t *testing.T) { on(t, test) })
	}
}

// Two holders of places, and the tolerance for times on slow machines.
const (
	one   = "11111111-1111-4111-8111-111111111111"
	other = "22222222-2222-4222-8222-222222222222"
	about = float64(time.Minute)
)

// hour returns a window of one hour.
func hour(requests int) service.Window { return service.Window{Requests: requests, Per: time.Hour} }

// lease claims places; by default in a window of ten requests per hour.
func lease(t *testing.T, w service.Windows, c service.Claim) service.Grant {
	t.Helper()
	if c.Account == "" {
		c.Account = "account"
	}
	if c.Window == (service.Window{}) {
		c.Window = hour(10)
	}
	g, err := w.Lease(t.Context(), c)
	require.NoError(t, err)
	return g
}

func testPlaces(t *testing.T, w Passing) {
	first := lease(t, w, service.Claim{Holder: one, Waiting: 4})
	require.Len(t, first.Places, 4)
	second := lease(t, w, service.Claim{Holder: other, Waiting: 10})
	require.Len(t, second.Places, 6)
	require.InDelta(t, service.LeaseLife+time.Hour, second.Opens, about, "as if they had been used at the end of the lease")
	all := slices.Sorted(slices.Values(append(first.Places, second.Places...)))
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, all)
	require.Empty(t, lease(t, w, service.Claim{Holder: one, Waiting: 1}).Places)
	require.Len(t, lease(t, w, service.Claim{Account: "another", Holder: one, Waiting: 10}).Places, 10)
}

func testAnswered(t *testing.T, w Passing) {
	places := lease(t, w, service.Claim{Holder: one, Waiting: 10}).Places
	g := lease(t, w, service.Claim{Holder: one, Held: places[1:], Answered: map[int]time.Duration{places[0]: 20 * time.Minute}, Waiting: 1})
	require.Empty(t, g.Places)
	require.InDelta(t, 40*time.Minute, g.Opens, about)
	w.Pass(38 * time.Minute)
	require.Empty(t, lease(t, w, service.Claim{Holder: other, Waiting: 1}).Places)
	w.Pass(3 * time.Minute)
	require.Equal(t, places[:1], lease(t, w, service.Claim{Holder: other, Waiting: 2}).Places)
}

func testUnused(t *testing.T, w Passing) {
	places := lease(t, w, service.Claim{Holder: one, Waiting: 10}).Places
	lease(t, w, service.Claim{Holder: other, Unused: places[:3]})
	require.Empty(t, lease(t, w, service.Claim{Holder: other, Waiting: 1}).Places, "they are another's")
	lease(t, w, service.Claim{Holder: one, Held: places[3:], Unused: places[:3]})
	require.ElementsMatch(t, places[:3], lease(t, w, service.Claim{Holder: other, Waiting: 4}).Places)
}

// Places that are not reported before their lease ends become free one window later. Their
// holder can no longer report them.
func testLapsed(t *testing.T, w Passing) {
	places := lease(t, w, service.Claim{Holder: one, Waiting: 10}).Places
	kept, lapsed := places[:4], places[4:]
	w.Pass(30 * time.Minute)
	lease(t, w, service.Claim{Holder: one, Held: kept})
	w.Pass(29 * time.Minute)
	require.Empty(t, lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places)
	w.Pass(2 * time.Minute)
	require.ElementsMatch(t, lapsed, lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places)
	g := lease(t, w, service.Claim{Holder: one, Held: lapsed[:2], Unused: lapsed[2:4], Answered: map[int]time.Duration{lapsed[4]: time.Hour}, Waiting: 1})
	require.Empty(t, g.Places)
	w.Pass(28 * time.Minute)
	require.Empty(t, lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places)
	w.Pass(3 * time.Minute)
	require.ElementsMatch(t, kept, lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places)
}

func testAhead(t *testing.T, w Passing) {
	ask := func(waiting, ahead, want int) {
		t.Helper()
		require.Len(t, lease(t, w, service.Claim{Holder: one, Window: hour(100), Waiting: waiting, Ahead: ahead}).Places, want)
	}
	ask(4, 0, 4)   // of 100
	ask(0, 5, 5)   // of 96
	ask(3, 80, 14) // of 91; 14 is an eighth of what remains
	ask(70, 9, 70) // of 77; none is leased ahead
	ask(0, 7, 0)
	ask(9, 9, 7)
}

// A claim is repeated after its grant was lost.
func testClaimedTwice(t *testing.T, w Passing) {
	places := lease(t, w, service.Claim{Holder: one, Waiting: 10}).Places
	again := service.Claim{Holder: one, Held: places[5:], Unused: places[:2], Answered: map[int]time.Duration{places[2]: 0, places[3]: time.Minute, places[4]: 0}, Waiting: 1}
	for range 3 {
		require.Subset(t, places[:2], lease(t, w, again).Places)
	}
	w.Pass(57 * time.Minute)
	require.Len(t, lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places, 1, "one that was unused was granted, and nobody knows")
	w.Pass(2*time.Minute + 30*time.Second)
	require.Equal(t, places[3:4], lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places)
	w.Pass(2 * time.Minute)
	require.Len(t, lease(t, w, service.Claim{Holder: other, Waiting: 10}).Places, 8)
}

// The operator reduces a window, or removes it.
func testFewerRequests(t *testing.T, w Passing) {
	lease(t, w, service.Claim{Holder: one, Waiting: 5})
	require.Len(t, lease(t, w, service.Claim{Holder: other, Window: hour(7), Waiting: 10}).Places, 2)
	g, err := w.Lease(t.Context(), service.Claim{Account: "account", Holder: other})
	require.NoError(t, err)
	require.Empty(t, g.Places)
}

func testClosedCalls(t *testing.T, w Passing) {
	g := lease(t, w, service.Claim{Holder: one, Closed: map[string]time.Duration{"post": 20 * time.Minute, "like": 10 * time.Minute, "read": -time.Minute}})
	for range 2 {
		require.Len(t, g.Closed, 2)
		require.InDelta(t, 20*time.Minute, g.Closed["post"], about)
		require.InDelta(t, 10*time.Minute, g.Closed["like"], about)
		g = lease(t, w, service.Claim{Holder: other, Closed: map[string]time.Duration{"post": time.Minute}})
	}
	require.Empty(t, lease(t, w, service.Claim{Account: "another", Holder: other}).Closed)
	w.Pass(12 * time.Minute)
	g = lease(t, w, service.Claim{Holder: other})
	require.Len(t, g.Closed, 1)
	require.InDelta(t, 8*time.Minute, g.Closed["post"], about)
}

func testAtOnce(t *testing.T, w Passing) {
	var mu sync.Mutex
	var holding sync.WaitGroup
	had := map[int]int{}
	for range 20 {
		for _, holder := range []string{one, other} {
			holding.Go(func() {
				g, err := w.Lease(t.Context(), service.Claim{Account: "account", Holder: holder, Window: hour(450), Waiting: 13, Ahead: 3})
				mu.Lock()
				defer mu.Unlock()
				assert.NoError(t, err)
				for _, n := range g.Places {
					had[n]++
				}
			})
		}
	}
	holding.Wait()
	require.Len(t, had, 450)
	for n, times := range had {
		require.Equal(t, 1, times, n)
	}
}

// MostIn returns the largest number of moments within any span of the given length. It
// sorts moments.
func MostIn(moments []time.Time, span time.Duration) (most int) {
	slices.SortFunc(moments, time.Time.Compare)
	first := 0
	for i, at := range moments {
		for at.Sub(moments[first]) >= span {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}
