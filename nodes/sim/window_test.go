package sim_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(300 * time.Millisecond) //nolint:forbidigo // virtual time
		start := time.Now()
		b := newBench(t, "microblog", sim.Config{})
		for left := 449; left >= 0; left-- {
			a := b.call("GET", "/2/users/me", nil)
			require.Equal(t, 200, a.status)
			require.Equal(t, "450", a.header.Get("x-rate-limit-limit"))
			require.Equal(t, strconv.Itoa(left), a.header.Get("x-rate-limit-remaining"))
			require.Equal(t, strconv.FormatInt(start.Unix()+900, 10), a.header.Get("x-rate-limit-reset"))
		}
		a := b.call("POST", "/2/tweets", record{"text": "too many"})
		require.Equal(t, 429, a.status, "all calls count together")
		require.Equal(t, "0", a.header.Get("x-rate-limit-remaining"))
		require.Empty(t, b.call("GET", "/2/users/me", nil, "Authorization", "Bearer other").header.Get("x-rate-limit-limit"))
		b.token = "sim-microblog-bot"
		require.Equal(t, 200, b.call("GET", "/2/users/me", nil).status, "each token has its own window")

		b.token = "sim-microblog-main"
		time.Sleep(time.Until(start.Truncate(time.Second).Add(15*time.Minute)) - time.Nanosecond) //nolint:forbidigo // virtual time
		require.Equal(t, 429, b.call("GET", "/2/users/me", nil).status)
		time.Sleep(time.Nanosecond) //nolint:forbidigo // virtual time
		a = b.call("GET", "/2/users/me", nil)
		require.Equal(t, 200, a.status)
		require.Equal(t, "449", a.header.Get("x-rate-limit-remaining"))
	})
}

func TestWindowOnDemand(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{Limit: sim.Limit{Requests: 1, Window: time.Hour}})
	require.Equal(t, 200, b.call("GET", "/me", nil).status)
	a := b.call("GET", "/me", nil)
	require.Equal(t, 429, a.status)
	require.Contains(t, a.text, "Too Many Requests")

	a = newBench(t, "pronet", sim.Config{}).call("GET", "/me", nil)
	require.Empty(t, a.header.Get("x-rate-limit-limit"), "nobody knows the limits of this network")
}
