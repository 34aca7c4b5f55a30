package service_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// within makes one call with the timeout d, and returns how long it took.
func within(t *testing.T, a *service.API, d time.Duration) (time.Duration, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	start := time.Now()
	_, err := a.Do(ctx, service.Call{Name: "me", Ref: "net:main"}, nil)
	return time.Since(start), err
}

// limited returns an API with a rate limit. The network responds as script says, and then
// always with success.
func limited(t *testing.T, window string, script ...servicetest.Answer) (*service.API, *servicetest.Stub) {
	t.Helper()
	stub := &servicetest.Stub{Script: script, Answers: map[string]string{"GET /me": `{"id":"7"}`}}
	return network(t, map[string]string{"NET_API_URL": "https://other.example", "NET_RATE_LIMIT": window}, stub), stub
}

func TestWaitingForTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := limited(t, "2/1h")
		for range 2 {
			took, err := within(t, a, time.Minute)
			require.NoError(t, err)
			require.Zero(t, took)
		}
		took, err := within(t, a, time.Minute)
		require.Equal(t, node.CodeRateLimited, node.CodeOf(err))
		require.ErrorContains(t, err, "(in 1h0m1s)")
		require.Zero(t, took, "it fails at once")

		took, err = within(t, a, 2*time.Hour)
		require.NoError(t, err)
		require.Equal(t, time.Hour+time.Second, took)
	})
}

// A cancelled waiter leaves its place to others.
func TestACancelledWaiterTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, stub := limited(t, "1/1h")
		_, err := within(t, a, time.Minute)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := a.Do(ctx, service.Call{Name: "me", Ref: "net:main"}, nil)
			left <- err
		}()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-left, context.Canceled)
		took, err := within(t, a, 2*time.Hour)
		require.NoError(t, err)
		require.Equal(t, time.Hour+time.Second, took)
		require.Len(t, stub.Requests(), 2)
	})
}

// A running request keeps its place, since the network may count it as late as it responds.
func TestTheWindowBeginsWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(r *http.Request) (*http.Response, error) {
			if err := node.Sleep(r.Context(), 10*time.Minute); err != nil {
				return nil, err
			}
			return servicetest.JSON(200, `{}`)(r)
		}
		a, stub := limited(t, "1/1h", slow)
		go within(t, a, time.Hour) //nolint:errcheck // the other call is checked
		synctest.Wait()
		_, err := within(t, a, 30*time.Minute)
		require.Equal(t, node.CodeRateLimited, node.CodeOf(err))
		_, err = within(t, a, 3*time.Hour)
		require.NoError(t, err)
		require.Equal(t, 70*time.Minute+time.Second, stub.Requests()[1].At.Sub(stub.Requests()[0].At))
	})
}

func TestAnnouncedLimits(t *testing.T) {
	date := func(offset time.Duration) string { return time.Now().Add(offset).UTC().Format(http.TimeFormat) }
	unix := func(offset time.Duration) string { return strconv.FormatInt(time.Now().Add(offset).Unix(), 10) }
	tests := []struct {
		name   string
		answer func() servicetest.Answer
		wait   time.Duration // until the next request
	}{
		{"seconds", func() servicetest.Answer { return servicetest.Reply(429, "", "Retry-After", "60") }, time.Minute},
		{"a date", func() servicetest.Answer { return servicetest.Reply(503, "", "Retry-After", date(time.Minute)) }, time.Minute},
		{"a date by a clock that is fast", func() servicetest.Answer {
			return servicetest.Reply(503, "", "Date", date(time.Hour), "Retry-After", date(time.Hour+time.Minute))
		}, time.Minute},
		{"a clock that is fast", func() servicetest.Answer {
			return servicetest.Reply(429, "", "Date", date(time.Hour), "X-Rate-Limit-Reset", unix(time.Hour+time.Minute))
		}, time.Minute},
		{"the last of a window", func() servicetest.Answer {
			return servicetest.Reply(200, "{}", "X-Rate-Limit-Remaining", "0", "X-Rate-Limit-Reset", unix(time.Minute))
		}, time.Minute},
		{"more in the window", func() servicetest.Answer {
			return servicetest.Reply(200, "{}", "X-Rate-Limit-Remaining", "1", "X-Rate-Limit-Reset", unix(time.Minute))
		}, 0},
		{"nonsense", func() servicetest.Answer {
			return servicetest.Reply(200, "{}", "X-Rate-Limit-Remaining", "0", "X-Rate-Limit-Reset", "soon")
		}, 0},
		{"in the past", func() servicetest.Answer { return servicetest.Reply(429, "", "Retry-After", "-5") }, time.Second},
		{"in a million years", func() servicetest.Answer { return servicetest.Reply(429, "", "Retry-After", "31536000000000000000") }, 24 * time.Hour},
		{"in a year", func() servicetest.Answer { return servicetest.Reply(429, "", "Retry-After", "31536000") }, 24 * time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, stub := limited(t, "", tt.answer())
				_, _ = within(t, a, 48*time.Hour)
				_, err := within(t, a, 48*time.Hour)
				require.NoError(t, err)
				require.Equal(t, tt.wait, stub.Requests()[1].At.Sub(stub.Requests()[0].At).Truncate(time.Second))
			})
		})
	}
}
