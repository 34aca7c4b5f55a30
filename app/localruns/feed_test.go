package localruns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// chatter is a runner whose runs report random texts, many times more than a feed holds.
type chatter struct{ seed uint64 }

const chats = 2000

func (c chatter) Run(_ context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	source := rand.New(rand.NewPCG(c.seed, 0))
	text := strings.Repeat("x", maxTail/100)
	for i := range chats {
		o.Observe(engine.Event{
			Name: engine.EventProgress, Seq: i + 1, RunID: o.RunID, Time: time.Now(), NodeID: "n", Message: text[:1+source.IntN(len(text)-1)],
		})
		<-time.After(time.Duration(source.IntN(2000)))
	}
	r := &engine.Result{RunID: o.RunID, WorkflowID: p.WorkflowID(), Status: engine.StatusCompleted, FinishedAt: time.Now()}
	o.Observe(engine.Event{Name: engine.EventCompleted, Seq: chats + 1, RunID: o.RunID, Time: time.Now(), Result: r})
	return nil, nil
}

// TestFollowersAtRandomPacesGetEveryFrame starts followers at random moments, from random
// numbers, which read at random paces, so that some fall far behind what the feed holds: each
// gets every frame in order, once, and the feed stays within its limit.
func TestFollowersAtRandomPacesGetEveryFrame(t *testing.T) {
	const seed = 1
	synctest.Test(t, func(t *testing.T) {
		w := newLocalWorld(t)
		w.runner = chatter{seed}
		l := w.open(t)
		source := rand.New(rand.NewPCG(seed, 1))
		id, err := l.Start(t.Context(), w.work(t, 0))
		require.NoError(t, err)
		var group sync.WaitGroup
		for range 30 {
			late, after, pace := source.IntN(3*chats), source.IntN(chats), source.IntN(20_000)
			group.Go(func() {
				<-time.After(time.Duration(late) * time.Microsecond)
				f, err := l.Follow(t.Context(), id, after)
				for err == nil {
					var frames []run.Frame
					frames, err = f.Next(t.Context())
					for _, frame := range frames {
						after++
						if frame.Seq != after || !strings.HasPrefix(string(frame.Data), fmt.Sprintf(`{"seq":%d,`, after)) {
							t.Errorf("frame %d instead of %d", frame.Seq, after)
						}
					}
					<-time.After(time.Duration(pace))
				}
				if !errors.Is(err, io.EOF) || after != chats+1 {
					t.Errorf("the last of %d frames: %v", after, err)
				}
			})
		}
		feed := l.recent.feed(id)
		for l.Stats().Async > 0 {
			require.LessOrEqual(t, feed.size(), maxTail+1<<10)
			<-time.After(100 * time.Microsecond)
		}
		group.Wait()
		closeLocal(t, l)
	})
}

// TestFeedsOfEndedRunsAreBounded proves that the memory for ended runs is limited, however many
// there are.
func TestFeedsOfEndedRunsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLocalWorld(t, repeat{})
		l := w.open(t)
		const text = `{"id":"big","nodes":[{"id":"a","type":"text.repeat","config":{"text":"x","count":50000}}],"connections":[]}`
		var first string
		for i := range 400 {
			id, err := l.Start(t.Context(), w.workOf(t, []byte(text)))
			require.NoError(t, err)
			require.Equal(t, engine.StatusCompleted, status(t, l, id))
			synctest.Wait()
			if i == 0 {
				first = id
			}
		}
		require.LessOrEqual(t, l.recent.ended.Bytes(), maxEndedFeeds)
		require.Greater(t, l.recent.ended.Bytes(), maxEndedFeeds/2)
		require.Nil(t, l.recent.feed(first))
		require.Equal(t, engine.StatusCompleted, status(t, l, first), "the journal has it")
		closeLocal(t, l)
	})
}

// repeat is a plugin with a node that returns a long text.
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

func TestFeedKeepsEventsOnlyWhileWanted(t *testing.T) {
	f := &feed{}
	publish := func(seq int) {
		f.publish(run.Frame{Seq: seq, Name: engine.EventProgress}, engine.Event{Seq: seq, Name: engine.EventProgress})
	}
	publish(1)
	require.Empty(t, f.events)
	stop := f.want()
	publish(2)
	_, ok := f.event(1)
	require.False(t, ok)
	e, ok := f.event(2)
	require.True(t, ok)
	require.Equal(t, 2, e.Seq)
	stop()
	require.Empty(t, f.events)
}
