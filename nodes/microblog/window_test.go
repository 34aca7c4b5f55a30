package microblog_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// strict is a network that accepts 450 requests in any 15 minutes. It counts a request at
// some moment between its arrival and the response, as networks do.
type strict struct {
	mu      sync.Mutex
	arrived []time.Time
	likes   map[string]int
	refused int
}

// RoundTrip implements http.RoundTripper.
func (s *strict) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	n := len(s.arrived)
	s.mu.Unlock()
	<-time.After(time.Duration(n%7) * 100 * time.Millisecond)
	answer := s.like(r.URL.Path)
	<-time.After(time.Duration(n%5) * 100 * time.Millisecond)
	return answer(r)
}

func (s *strict) like(path string) servicetest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, recent := time.Now(), 0
	for _, at := range s.arrived {
		if now.Sub(at) <= 15*time.Minute {
			recent++
		}
	}
	s.arrived = append(s.arrived, now)
	if recent >= 450 {
		s.refused++
		return servicetest.JSON(http.StatusTooManyRequests, `{}`)
	}
	s.likes[strings.Split(path, "/")[3]]++
	return servicetest.JSON(http.StatusOK, `{"data":{"liked":true}}`)
}

// likeAll likes a thousand posts from 50 concurrent runs, and returns the errors in the
// nodes' outputs.
func likeAll(t *testing.T, network *strict, timeout time.Duration) []string {
	config := servicetest.Config(t.Context(), "microblog", nil)
	config.Transport = network
	host := nodetest.New(t, microblog.New(config))
	var mu sync.Mutex
	var failed []string
	var runs sync.WaitGroup
	for run := range 50 {
		for i := range 20 {
			runs.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), timeout)
				defer cancel()
				out, err := host.ExecContext(ctx, "microblog.like_tweet", nil, values{"credential": ref, "tweet_id": fmt.Sprint(1 + run*20 + i)})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed = append(failed, err.Error())
				} else if out["success"] == false {
					failed = append(failed, out["error"].(string))
				}
			})
		}
	}
	runs.Wait()
	return failed
}

func TestAThousandLikesKeepTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &strict{likes: map[string]int{}}
		start := time.Now()
		require.Empty(t, likeAll(t, network, time.Hour))
		require.Zero(t, network.refused)
		require.Len(t, network.likes, 1000)
		for id, n := range network.likes {
			require.Equal(t, 1, n, "post %s", id)
		}
		require.Less(t, time.Since(start), 31*time.Minute)
	})
}

func TestLikesBeyondTheirTimeFailAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &strict{likes: map[string]int{}}
		start := time.Now()
		failed := likeAll(t, network, node.DefaultTimeout)
		require.Less(t, time.Since(start), 2*time.Second)
		require.Len(t, failed, 550)
		require.Len(t, network.likes, 450)
		require.Zero(t, network.refused)
		for _, message := range failed {
			require.Contains(t, message, "used up until "+start.Add(15*time.Minute).UTC().Format("2006-01-02T15:04"))
		}
	})
}

func TestAnotherAccountHasAWindowOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &strict{likes: map[string]int{}}
		config := servicetest.Config(t.Context(), "microblog", nil)
		config.Transport = network
		provider := config.Credentials.(*servicetest.Renewing)
		c, err := provider.Credential(t.Context(), ref)
		require.NoError(t, err)
		c.Revision = 0
		require.NoError(t, provider.SetCredential(t.Context(), "microblog:bot", c))
		getenv := config.Getenv
		config.Getenv = func(name string) string {
			if name == "MICROBLOG_RATE_LIMIT" {
				return "1/1h"
			}
			return getenv(name)
		}
		host := nodetest.New(t, microblog.New(config))
		for _, tt := range []struct {
			account string
			success bool
		}{{ref, true}, {ref, false}, {"microblog:bot", true}} {
			ctx, cancel := context.WithTimeout(t.Context(), node.DefaultTimeout)
			defer cancel()
			out, err := host.ExecContext(ctx, "microblog.like_tweet", nil, values{"credential": tt.account, "tweet_id": "1"})
			require.NoError(t, err)
			require.Equal(t, tt.success, out["success"], out["error"])
		}
	})
}
