package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// pulse is a workflow that reports n steps, one a second.
func pulse(n int) []byte {
	items := "["
	for i := range n {
		if i > 0 {
			items += ","
		}
		items += fmt.Sprint(i)
	}
	return fmt.Appendf(nil, `{"id":"pulse","nodes":[
		{"id":"items","type":"json.parse","config":{"text":"%s]"}},
		{"id":"loop","type":"control.foreach","body":{"nodes":[
			{"id":"item","type":"io.input","config":{"name":"item","type":"any"}},
			{"id":"wait","type":"control.delay","config":{"ms":1000}}],"connections":[]}}],
		"connections":[{"fromNodeId":"items","fromPort":"value","toNodeId":"loop","toPort":"list"}]}`, items)
}

func TestFollowersGetEverythingOnce(t *testing.T) {
	inBubbles(t, func(t *testing.T, open func() store.RunStore) {
		a := newTestApp(t, Config{Runs: open()})
		id, err := a.StartJSON(t.Context(), pulse(5), run.Request{})
		require.NoError(t, err)
		var early, second []engine.Event
		var group sync.WaitGroup
		group.Go(func() { early = everything(t, a, id, 0) })
		group.Go(func() { second = everything(t, a, id, 0) })
		<-time.After(2500 * time.Millisecond)
		late := everything(t, a, id, 0)
		group.Wait()
		require.True(t, early[len(early)-1].Name.Terminal())
		require.Greater(t, len(early), 10)
		require.Equal(t, early, second, "the same run twice")
		require.Equal(t, early, late, "from its middle")
		require.Equal(t, early, everything(t, a, id, 0), "after its end")
		for after := range early {
			require.Equal(t, early[after:], everything(t, a, id, after), "from number %d", after)
		}
		for _, after := range []int{len(early), len(early) + 1, 1 << 40} {
			require.Empty(t, everything(t, a, id, after), "past the end")
		}
		f, err := a.Follow(t.Context(), id, -5)
		require.NoError(t, err)
		require.Len(t, frames(t, f), len(early))
		require.NoError(t, a.Close(t.Context()))

		restarted := newTestApp(t, Config{Runs: open()})
		require.NoError(t, restarted.Recover(t.Context()))
		for after := range early {
			require.Equal(t, early[after:], everything(t, restarted, id, after), "after a restart")
		}
		f, err = restarted.Follow(t.Context(), id, len(early))
		require.NoError(t, err)
		_, err = f.Next(t.Context())
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, restarted.Close(t.Context()))
	})
}

func TestFollowBeforeTheFirstEvent(t *testing.T) {
	inBubble(t, Config{Runner: &tardyRunner{}}, func(t *testing.T, a *App) {
		id, err := a.Start(t.Context(), says(t, "w", "x"), run.Request{})
		require.NoError(t, err)
		f, err := a.Follow(t.Context(), id, 0)
		require.NoError(t, err)
		_, err = f.Next(soon(t, time.Second))
		require.ErrorIs(t, err, context.DeadlineExceeded, "nothing has happened")
		require.Equal(t, engine.EventCompleted, ended(t, a, id).Name)
		frames, err := f.Next(t.Context())
		require.NoError(t, err, "the follower can go on")
		require.Equal(t, 1, frames[0].Seq)
	})
}

// tardyRunner begins late.
type tardyRunner struct{ engine.Local }

func (r *tardyRunner) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	select {
	case <-time.After(time.Minute):
	case <-ctx.Done():
	}
	return r.Local.Run(ctx, p, o)
}

// A frame shows big outputs of nodes by their size; the journal has them whole,
// and so do the outputs of the run.
func TestFramesAreElided(t *testing.T) {
	const big = `{"id":"big","nodes":[
		{"id":"a","type":"text.repeat","config":{"text":"x","count":70000}},
		{"id":"out","type":"io.output","config":{"name":"said"}}],
		"connections":[{"fromNodeId":"a","fromPort":"result","toNodeId":"out","toPort":"value"}]}`
	runs := &memstore.Runs{}
	inBubble(t, Config{Runs: runs, ExtraPlugins: []node.Plugin{repeat{}}}, func(t *testing.T, a *App) {
		id, err := a.StartJSON(t.Context(), []byte(big), run.Request{})
		require.NoError(t, err)
		f, err := a.Follow(t.Context(), id, 0)
		require.NoError(t, err)
		live := frames(t, f)
		behind := newTestApp(t, Config{Runs: runs}) // has nothing in memory
		b, err := behind.Follow(t.Context(), id, 0)
		require.NoError(t, err)
		require.Equal(t, live, frames(t, b), "from memory and from the journal")
		require.Contains(t, string(live[2].Data), `{"$elided":{"bytes":70002}}`)
		last := live[len(live)-1]
		require.Greater(t, len(last.Data), 70000, "the run's own outputs are whole")
		require.Contains(t, string(last.Data), "$elided")
		record, err := a.Run(t.Context(), id)
		require.NoError(t, err)
		require.Len(t, record.Result.Nodes["a"].Outputs["result"], 70000)
	})
}

// repeat is a plugin with a node that returns a text of a given length.
type repeat struct{}

func (repeat) Install(r *node.Registrar) {
	r.Register(node.Func("text.repeat", "Repeat", func(_ context.Context, in struct {
		Text  string `port:"text" doc:"what to repeat"`
		Count int    `port:"count" doc:"how often"`
	}) (out struct {
		Result string `port:"result" doc:"the text"`
	}, err error,
	) {
		out.Result = strings.Repeat(in.Text, in.Count)
		return out, nil
	}))
}

func frames(t *testing.T, f runs.Follower) []run.Frame {
	t.Helper()
	var all []run.Frame
	for {
		batch, err := f.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		require.NotEmpty(t, batch)
		all = append(all, batch...)
	}
}

// hold is a plugin with a node that waits, and then returns given values.
type hold struct {
	release chan struct{}
	small   []any
}

func (h hold) Install(r *node.Registrar) {
	r.Register(node.Func("test.hold", "Hold", func(context.Context, struct{}) (out struct {
		Small any    `port:"small" doc:"a list"`
		Long  string `port:"long" doc:"a long text"`
	}, err error,
	) {
		<-h.release
		out.Small, out.Long = h.small, strings.Repeat("x", limit.Shown)
		return out, nil
	}))
}

// Followers in the process of a run get the values themselves, neither encoded nor decoded, and
// elided like those of all followers.
func TestEventsAreNotDecoded(t *testing.T) {
	h := hold{make(chan struct{}), []any{1, "two"}}
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{h}})
	id, err := a.StartJSON(t.Context(), []byte(`{"id":"w","nodes":[{"id":"a","type":"test.hold"}],"connections":[]}`), run.Request{})
	require.NoError(t, err)
	var all []engine.Event
	for e, err := range a.Events(t.Context(), id, 0) {
		require.NoError(t, err)
		if all = append(all, e); e.NodeID == "a" && e.Name == engine.EventStarted {
			close(h.release)
		}
	}
	require.Same(t, &h.small[0], &all[2].Outputs["small"].([]any)[0])
	require.Same(t, &h.small[0], &all[3].Result.Nodes["a"].Outputs["small"].([]any)[0])
	require.Contains(t, all[2].Outputs["long"], "$elided")
	f, err := a.Follow(t.Context(), id, 0)
	require.NoError(t, err)
	for i, frame := range frames(t, f) {
		require.Equal(t, string(frame.Data), string(all[i].AppendJSON(nil, engine.NoElision)))
	}
	record, err := a.Run(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, record.Result.Nodes["a"].Outputs["long"], limit.Shown)
}
