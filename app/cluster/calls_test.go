package cluster_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/nacl/box"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// crew are those who answer a queue, one call after the other among them, as Temporal has it.
type crew struct {
	mu      sync.Mutex
	workers []*answering
	asked   map[string][]string // calls, by their task
	turn    int
	life    context.Context
	busy    sync.WaitGroup
}

// answering is one who answers, until it is killed.
type answering struct {
	*cluster.Answers

	life  context.Context
	kill  context.CancelCauseFunc
	calls int
}

var errKilled = errors.New("killed")

// Ask implements [cluster.CallTasks].
func (c *crew) Ask(_ context.Context, t cluster.CallTask) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked[t.ID] == nil {
		c.asked[t.ID] = t.Calls
		for _, id := range t.Calls {
			c.busy.Go(func() { c.see(id) })
		}
	}
	return nil
}

// Drop implements [cluster.CallTasks].
func (c *crew) Drop(context.Context, cluster.CallTask) error { return nil }

// see has a call answered by those who live.
func (c *crew) see(id string) {
	for c.life.Err() == nil {
		c.mu.Lock()
		var w *answering
		for range c.workers {
			c.turn++
			if next := c.workers[c.turn%len(c.workers)]; next.life.Err() == nil {
				w = next
				w.calls++
				break
			}
		}
		c.mu.Unlock()
		if w != nil && w.Answer(w.life, id) == nil {
			return
		}
		_ = node.Sleep(c.life, 100*time.Millisecond) // it ends with the test
	}
}

// crew returns a number of workers, and the CallTasks that have them answer calls.
func (s *stage) crew(workers int) *crew {
	s.t.Helper()
	life, end := context.WithCancel(context.Background())
	c := &crew{asked: map[string][]string{}, life: life}
	s.t.Cleanup(func() { end(); c.busy.Wait() })
	for i := range workers {
		w := &answering{Answers: cluster.NewAnswers(s.env(), &s.many, fmt.Sprint("worker", i))}
		w.life, w.kill = context.WithCancelCause(life)
		s.t.Cleanup(w.Close)
		c.workers = append(c.workers, w)
	}
	return c
}

// leading returns a process that has nodes of types test.* called by the crew.
func (s *stage) leading(c *crew) *cluster.Holder {
	s.t.Helper()
	return s.holder(s.leads(c))
}

// leads returns what plays runs of such a process.
func (s *stage) leads(c *crew) cluster.Player {
	s.t.Helper()
	place, err := cluster.ParsePlacement("test.*=gpu")
	require.NoError(s.t, err)
	p, done := cluster.NewLeadingPlayer(s.env(), &s.many, place, c)
	s.t.Cleanup(done)
	return p
}

func flowOf(t *testing.T, nodes string) *workflow.Definition {
	t.Helper()
	def, err := workflow.Decode([]byte(`{"id":"w","nodes":[`+nodes+`],"connections":[]}`), workflow.Limits{})
	require.NoError(t, err)
	return def
}

// staged runs a test with processes that share their runs, in a synctest bubble.
func staged(t *testing.T, f func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(&stage{t: t}) })
}

func TestPlacedNodesAreCalledByThoseWhoAnswer(t *testing.T) {
	staged(t, func(s *stage) {
		const items = 300
		now, most := 0, 0
		var mu sync.Mutex
		s.effects.during = func(context.Context) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			<-time.After(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
		}
		list, err := json.Marshal(make([]int, items))
		require.NoError(s.t, err)
		c := s.crew(2)
		id := s.begin(flowOf(s.t, `{"id":"each","type":"control.foreach","config":{"list":`+string(list)+`,"concurrency":256},"body":{
			"nodes":[{"id":"a","type":"test.effect","config":{"name":"a"}}],"connections":[]}}`))
		leads := s.leads(c)
		require.NoError(s.t, s.holder(leads).Drive(s.t.Context(), id))
		require.Equal(s.t, engine.StatusCompleted, s.end(id).Result.Status)
		require.Len(s.t, s.effects.calls, items)
		require.EqualValues(s.t, items, cluster.Led(leads, "gpu"))
		require.EqualValues(s.t, items, c.workers[0].Made("gpu")+c.workers[1].Made("gpu"))
		require.LessOrEqual(s.t, most, 256)
		require.Greater(s.t, most, 200)
		for _, w := range c.workers {
			require.GreaterOrEqual(s.t, w.calls, items*3/10)
		}
	})
}

type anything struct {
	Value any `port:"value" doc:"Anything."`
}

func TestWhatIsPlacedComesBackAsItIs(t *testing.T) {
	staged(t, func(s *stage) {
		made := map[string]any{"f": 2.0, "i": 2, "t": "\x00", "l": strings.Repeat("x", 1<<20), "n": nil}
		var taken any
		s.more = []node.Node{
			node.Func("test.make", "Make", func(ctx context.Context, _ struct{}) (anything, error) {
				node.Progress(ctx, 1, 3, "a third")
				<-time.After(5 * time.Second)
				return anything{made}, nil
			}),
			node.Func("test.take", "Take", func(_ context.Context, in anything) (anything, error) {
				taken = in.Value
				return in, nil
			}),
		}
		def := flowOf(s.t, `{"id":"a","type":"test.make"},{"id":"b","type":"test.take"}`)
		def.Connections = []workflow.Connection{{FromNodeID: "a", FromPort: "value", ToNodeID: "b", ToPort: "value"}}
		id := s.begin(def)
		require.NoError(s.t, s.leading(s.crew(1)).Drive(s.t.Context(), id))
		require.Equal(s.t, engine.StatusCompleted, s.end(id).Result.Status)
		require.True(s.t, reflect.DeepEqual(made, taken), "on its way it has changed")
		frames, err := s.Frames(s.t.Context(), id, 0, 8<<20)
		require.NoError(s.t, err)
		var values drive.Values
		from := drive.NewSource(s.t.Context(), &s.many, id)
		opened := func(i int) engine.Event {
			e, err := frames[i].Opened(from, func(h *run.Reference) (any, error) { return values.Get(from, h) })
			require.NoError(s.t, err)
			return e
		}
		require.Equal(s.t, "a third", opened(2).Message)
		require.True(s.t, reflect.DeepEqual(made, opened(3).Outputs["value"]), "what is recorded has changed")
	})
}

func TestADriverThatDiesRepeatsNoPlacedCall(t *testing.T) {
	for _, typ := range []string{"test.effect", "test.once"} {
		staged(t, func(s *stage) {
			goOn := make(chan struct{})
			s.effects.during = func(context.Context) { <-goOn }
			c := s.crew(2)
			id := s.begin(flowOf(s.t, `{"id":"each","type":"control.foreach","config":{"list":[1,2,3]},"body":{
				"nodes":[{"id":"a","type":"`+typ+`","config":{"name":"a"}}],"connections":[]}}`))
			first, driven, second := s.leading(c), make(chan error, 1), make(chan error, 1)
			go func() { driven <- first.Drive(s.t.Context(), id) }()
			<-time.After(time.Second)
			require.NoError(s.t, first.Close(s.t.Context())) // it counts as dead, and hears nothing
			next := s.leading(c)
			go func() { second <- next.Drive(s.t.Context(), id) }()
			<-time.After(3 * time.Second)
			close(goOn)
			require.ErrorIs(s.t, <-driven, store.ErrRunTaken)
			require.NoError(s.t, <-second)
			require.Equal(s.t, engine.StatusCompleted, s.end(id).Result.Status)
			require.Len(s.t, s.effects.calls, 3, "nothing was called twice")
		})
	}
}

func TestAWorkerThatDiesCostsNoMoreThanItsCall(t *testing.T) {
	for typ, want := range map[string]struct {
		calls int
		code  string
	}{"test.effect": {2, ""}, "test.once": {1, node.CodeOutcomeUnknown}} {
		staged(t, func(s *stage) {
			c := s.crew(2)
			s.effects.during = func(ctx context.Context) {
				s.effects.mu.Lock()
				first := len(s.effects.calls) == 1
				s.effects.mu.Unlock()
				if first {
					<-ctx.Done()
				}
			}
			id := s.begin(flowOf(s.t, `{"id":"a","type":"`+typ+`","config":{"name":"a"}}`))
			time.AfterFunc(2*time.Second, func() {
				c.mu.Lock()
				defer c.mu.Unlock()
				for _, w := range c.workers {
					if w.calls > 0 {
						w.kill(errKilled)
						return
					}
				}
			})
			require.NoError(s.t, s.leading(c).Drive(s.t.Context(), id))
			a := s.end(id).Result.Nodes["a"]
			if require.Len(s.t, s.effects.calls, want.calls); want.code != "" {
				require.Equal(s.t, want.code, a.Error.Code)
				return
			}
			require.Equal(s.t, engine.StatusSucceeded, a.Status)
			require.Equal(s.t, 1, a.Attempts, "it keeps its number")
			require.Equal(s.t, id+"/a", s.effects.keys[0])
			require.Equal(s.t, s.effects.keys[0], s.effects.keys[1])
		})
	}
}

func TestACancelReachesPlacedNodes(t *testing.T) {
	staged(t, func(s *stage) {
		ended := make(chan time.Time, 1)
		s.effects.during = func(ctx context.Context) { <-ctx.Done(); ended <- time.Now() }
		id := s.begin(flowOf(s.t, `{"id":"a","type":"test.effect","config":{"name":"a"}}`))
		driven := make(chan error, 1)
		h := s.leading(s.crew(1))
		go func() { driven <- h.Drive(s.t.Context(), id) }()
		<-time.After(2 * time.Second)
		asked := time.Now()
		require.NoError(s.t, s.RequestCancel(s.t.Context(), id))
		require.NoError(s.t, <-driven)
		require.Less(s.t, time.Since(asked), time.Second)
		require.Equal(s.t, engine.StatusCancelled, s.end(id).Result.Status)
		require.Less(s.t, (<-ended).Sub(asked), time.Second)
	})
}

func TestPlacedNodesFailAndAreTriedAgain(t *testing.T) {
	staged(t, func(s *stage) {
		failed := 0
		s.effects.fail = func(name, _ string) error {
			if name != "a" {
				return nil
			}
			if failed++; failed < 3 {
				return node.Errorf("busy", "come again")
			}
			return nil
		}
		id := s.begin(flowOf(s.t, `{"id":"a","type":"test.effect","config":{"name":"a"},"retry":{"maxAttempts":3}},
			{"id":"b","type":"test.effect","timeoutMs":1000,"config":{"name":"b"}}`))
		s.effects.stop = func(name string) error {
			if name == "b" {
				return context.Canceled
			}
			return nil
		}
		require.NoError(s.t, s.leading(s.crew(1)).Drive(s.t.Context(), id))
		end := s.end(id).Result
		require.Equal(s.t, engine.StatusSucceeded, end.Nodes["a"].Status)
		require.Equal(s.t, 3, end.Nodes["a"].Attempts)
		require.Equal(s.t, node.CodeTimeout, end.Nodes["b"].Error.Code)
	})
}

func TestAQueueThatNobodyAnswersIsTold(t *testing.T) {
	staged(t, func(s *stage) {
		id := s.begin(flowOf(s.t, `{"id":"a","type":"test.effect","timeoutMs":10000,"config":{"name":"a"}}`))
		require.NoError(s.t, s.leading(s.crew(0)).Drive(s.t.Context(), id))
		require.Equal(s.t, node.CodeTimeout, s.end(id).Result.Nodes["a"].Error.Code)
		frames, err := s.Frames(s.t.Context(), id, 0, 1<<20)
		require.NoError(s.t, err)
		require.Contains(s.t, string(frames[2].Data), "no worker has answered the queue gpu")
	})
}

// A placed node answers the caller of the run's hook, as one that is called by its driver does.
func TestPlacedNodesAnswerCallers(t *testing.T) {
	staged(t, func(s *stage) {
		s.more = []node.Node{node.Func("test.respond", "Answer", func(ctx context.Context, _ struct{}) (effectOut, error) {
			return effectOut{"answered"}, node.Respond(ctx, node.Reply{Status: 201})
		})}
		id := s.begin(flowOf(s.t, `{"id":"a","type":"test.respond"}`))
		public, _, err := box.GenerateKey(rand.Reader)
		require.NoError(s.t, err)
		require.NoError(s.t, s.Await(s.t.Context(), id, public[:]))
		require.NoError(s.t, s.leading(s.crew(1)).Drive(s.t.Context(), id))
		require.Equal(s.t, engine.StatusCompleted, s.end(id).Result.Status)
		answers, err := s.Answers(s.t.Context(), []string{id})
		require.NoError(s.t, err)
		require.Len(s.t, answers, 1)
	})
}

func TestPlacement(t *testing.T) {
	for _, wrong := range []string{"", "media.*", "=gpu", "a=", "a=Ü", "a=" + strings.Repeat("x", 64), "[=gpu"} {
		_, err := cluster.ParsePlacement(wrong)
		require.Error(t, err, wrong)
	}
	types := []string{"media.cut", "media.join", "text.format"}
	p, err := cluster.ParsePlacement("media.*=gpu", "text.format=cpu")
	require.NoError(t, err)
	require.NoError(t, p.Check(types))
	p, err = cluster.ParsePlacement("media.*=gpu", "*.cut=cpu", "video.*=gpu")
	require.NoError(t, err)
	require.ErrorContains(t, p.Check(types), "media.cut is placed twice")
	require.ErrorContains(t, p.Check(types), "video.*=gpu fits no node type")
}

// A draining worker starts no further calls and abandons one that takes too long. A driver that
// waits for a placed call can still hand its run off.
func TestDrainingWorkerHandsCallsOff(t *testing.T) {
	staged(t, func(s *stage) {
		s.effects.during = func(ctx context.Context) { _ = node.Sleep(ctx, 10*time.Second) } // it ends with the call
		c := s.crew(2)
		id := s.begin(flowOf(s.t, `{"id":"a","type":"test.effect","config":{"name":"a"}}`))
		driver := s.leading(c)
		time.AfterFunc(time.Second, driver.Leave)
		began := time.Now()
		require.ErrorIs(s.t, driver.Drive(s.t.Context(), id), engine.ErrHandedOff)
		require.Equal(s.t, time.Second, time.Since(began))
		for _, w := range c.workers {
			w.Drain()
		}
		require.NoError(s.t, s.leading(c).Drive(s.t.Context(), id))
		require.Equal(s.t, 10*time.Second, time.Since(began).Round(time.Second), "the call has gone on")
		require.Equal(s.t, []string{"a"}, s.effects.calls)

		id = s.begin(flowOf(s.t, `{"id":"a","type":"test.effect","config":{"name":"b"}}`))
		placed := store.PlacedCall{RunID: id, ID: "other", Path: "a", Number: 1, Queue: "gpu", Inputs: []byte(`{"name":"b"}`)}
		require.NoError(s.t, s.PlaceCalls(s.t.Context(), []store.PlacedCall{placed}))
		require.ErrorIs(s.t, c.workers[0].Answer(s.t.Context(), placed.ID), engine.ErrHandedOff)
		late := cluster.NewAnswers(s.env(), &s.many, "late")
		time.AfterFunc(time.Second, late.Close)
		require.ErrorIs(s.t, late.Answer(s.t.Context(), placed.ID), engine.ErrHandedOff)
	})
}
