package app

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/sim"
)

// likes runs a workflow that likes posts, all at once, and returns its outputs.
func likes(t *testing.T, a *App, ids []string, timeoutMs int) record {
	timeout := ""
	if timeoutMs > 0 {
		timeout = fmt.Sprintf(`,"timeoutMs":%d`, timeoutMs)
	}
	def := parse(t, `{"id":"likes","nodes":[
		{"id":"ids","type":"io.input","config":{"name":"ids","type":"list<string>"}},
		{"id":"each","type":"control.foreach","config":{"concurrency":20},"body":{"nodes":[
			{"id":"item","type":"io.input","config":{"name":"item","type":"string"}},
			{"id":"like","type":"microblog.like_tweet","config":{"credential":"microblog:main"}`+timeout+`},
			{"id":"error","type":"io.output","config":{"name":"error"}}],
			"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"like","toPort":"tweet_id"},
			{"fromNodeId":"like","fromPort":"error","toNodeId":"error","toPort":"value"}]}},
		{"id":"out","type":"io.output","config":{"name":"errors"}}],
		"connections":[{"fromNodeId":"ids","fromPort":"value","toNodeId":"each","toPort":"list"},
		{"fromNodeId":"each","fromPort":"error","toNodeId":"out","toPort":"value"}]}`)
	list := make([]any, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	ended, err := a.Execute(t.Context(), def, run.Request{Inputs: record{"ids": list}}, nil)
	if assert.NoError(t, err) && assert.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err()) {
		return ended.Outputs()
	}
	return record{"errors": []any{}}
}

// likeThousand lets 50 runs like a thousand posts at once and returns the network
// and what the nodes could not do.
func likeThousand(t *testing.T, timeoutMs int) (network *sim.Network, troubles []string) {
	seeds, err := sim.DefaultSeeds()
	require.NoError(t, err)
	seed := seeds["microblog"]
	for i := range 1000 - len(seed.Posts) {
		seed.Posts = append(seed.Posts, sim.SeedPost{Author: seed.Accounts[0].ID, Text: fmt.Sprint("post ", i)})
	}
	network, err = sim.NewMicroblog(sim.Config{Seed: seed})
	require.NoError(t, err)
	held := credentialstest.Holding{"microblog:main": credentials.Credential{Access: credentials.NewSecret("sim-microblog-main")}}
	settings := network.Settings("https://microblog.example")
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{microblog.New(service.Config{
		Getenv: func(name string) string { return settings[name] }, Credentials: credentialstest.NewMemory(held), Transport: network,
	})}})
	var ids []string
	for _, p := range network.Posts() {
		ids = append(ids, p.ID)
	}
	var mu sync.Mutex
	var runs sync.WaitGroup
	for part := range slices.Chunk(ids, 20) {
		runs.Go(func() {
			outputs := likes(t, a, part, timeoutMs)
			mu.Lock()
			defer mu.Unlock()
			for _, trouble := range outputs["errors"].([]any) {
				if trouble != nil {
					troubles = append(troubles, trouble.(string))
				}
			}
		})
	}
	runs.Wait()
	require.NoError(t, a.Close(t.Context()))
	return network, troubles
}

// liked counts the posts that are liked, and requires that the network refused no
// request and got none twice.
func liked(t *testing.T, network *sim.Network) int {
	count := 0
	for _, p := range network.Posts() {
		count += len(p.LikedBy)
	}
	requests := network.Requests()
	require.Len(t, requests, count)
	for _, r := range requests {
		require.Equal(t, 200, r.Status)
	}
	return count
}

// TestRunsShareTheWindow likes more than the network allows in 15 minutes, with time
// to wait: all is done, and the network never has to say no.
func TestRunsShareTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		network, troubles := likeThousand(t, 3_600_000)
		require.Empty(t, troubles)
		require.Equal(t, 1000, liked(t, network))
		require.Less(t, time.Since(start), 31*time.Minute)
	})
}

// Without time to wait, what does not fit fails at once and says when to come
// again.
func TestRunsWithoutTimeFailAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		network, troubles := likeThousand(t, 0)
		require.Equal(t, 450, liked(t, network))
		require.Len(t, troubles, 550)
		require.Less(t, time.Since(start), 2*time.Second)
		opens := start.Add(15 * time.Minute).UTC().Format("2006-01-02T15:04")
		for _, trouble := range troubles {
			require.Contains(t, trouble, opens)
		}
	})
}
