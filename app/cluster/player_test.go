package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/statelog"
)

// effects notes the calls of a node, which may be cut short.
type effects struct {
	mu     sync.Mutex
	calls  []string
	keys   []string
	during func(ctx context.Context)    // what a call does meanwhile
	stop   func(name string) error      // whether a call is cut short
	fail   func(name, run string) error // whether a call fails; called by one at a time
}

type effectIn struct {
	Name string `port:"name" doc:"Who it is."`
	In   any    `port:"in,optional" doc:"What comes before."`
}

type effectOut struct {
	Out string `port:"out" doc:"Its name."`
}

func (e *effects) call(ctx context.Context, in effectIn) (effectOut, error) {
	e.mu.Lock()
	e.calls, e.keys = append(e.calls, in.Name), append(e.keys, node.Key(ctx))
	stop := e.stop
	var err error
	if e.fail != nil {
		run, _, _ := strings.Cut(node.Key(ctx), "/")
		err = e.fail(in.Name, run)
	}
	e.mu.Unlock()
	if err != nil {
		return effectOut{}, err
	}
	if e.during != nil {
		e.during(ctx)
		if ctx.Err() != nil {
			return effectOut{}, ctx.Err()
		}
	}
	if stop != nil {
		if err := stop(in.Name); err != nil {
			<-ctx.Done()
			return effectOut{}, err
		}
	}
	return effectOut{in.Name}, nil
}

// chain is a workflow of three calls; between the first two there may be a node that waits.
func chain(t *testing.T, between string) *workflow.Definition {
	t.Helper()
	def, err := workflow.Decode([]byte(`{"id":"chain","nodes":[
		{"id":"a","type":"test.effect","config":{"name":"a"}},`+between+`
		{"id":"c","type":"test.effect","config":{"name":"c"}},
		{"id":"d","type":"test.effect","config":{"name":"d"}}],
		"connections":[{"fromNodeId":"a","fromPort":"out","toNodeId":"b","toPort":"value"},
		{"fromNodeId":"b","fromPort":"value","toNodeId":"c","toPort":"in"},
		{"fromNodeId":"c","fromPort":"out","toNodeId":"d","toPort":"in"}]}`), workflow.Limits{})
	require.NoError(t, err)
	return def
}

const (
	hands = `{"id":"b","type":"control.delay","config":{"ms":0}},`
	waits = `{"id":"b","type":"control.delay","config":{"ms":3600000}},`
)

// stage is runs that are shared, and processes that play them with the engine.
type stage struct {
	many

	t       *testing.T
	effects effects
	drivers int
	more    []node.Node
	secrets func(ctx context.Context, refs []value.Credential) []string
}

// driver returns a process of a new name.
func (s *stage) driver() *cluster.Holder {
	s.t.Helper()
	return s.holder(cluster.NewPlayer(s.env(), &s.many))
}

// env returns what a process has for runs.
func (s *stage) env() drive.Env {
	s.t.Helper()
	registry, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}), node.Bundle{Name: "test", Nodes: append([]node.Node{
		node.Func("test.effect", "Note the call", s.effects.call),
		node.Func("test.once", "Note the only call", s.effects.call).Once(),
	}, s.more...)})...)
	require.NoError(s.t, err)
	return drive.Env{
		Runner: &engine.Local{}, State: &statelog.Memory{}, Secrets: s.secrets, Log: slog.New(slog.DiscardHandler),
		Compile: func(ctx context.Context, start *run.Start) (*engine.Plan, error) {
			return engine.Compile(ctx, start.Definition, engine.Env{Registry: registry})
		},
		WithFiles: func(ctx context.Context, _ string, _ ...string) (context.Context, func()) { return ctx, func() {} },
	}
}

// holder returns a process of a new name that plays runs so.
func (s *stage) holder(p cluster.Player) *cluster.Holder {
	s.t.Helper()
	s.drivers++
	h := holder(s.t, &s.many, fmt.Sprint("driver", s.drivers), p)
	s.t.Cleanup(func() { require.NoError(s.t, h.Close(context.Background())) })
	return h
}

// begin starts a run.
func (s *stage) begin(def *workflow.Definition) string {
	s.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	begun := run.Start{RunID: id, StartedAt: time.Now().UTC().Truncate(time.Microsecond), Definition: def, Document: run.NewDocument(def, nil)}
	require.NoError(s.t, s.Begin(s.t.Context(), begun, store.SharedLimits{}))
	return id
}

// end returns the last event of a run, whose frames are numbered without a gap.
func (s *stage) end(id string) engine.Event {
	s.t.Helper()
	frames, err := s.Frames(s.t.Context(), id, 0, 1<<20)
	require.NoError(s.t, err)
	for i := range frames {
		require.Equal(s.t, i+1, frames[i].Seq)
	}
	last, err := frames[len(frames)-1].Opened(drive.NewSource(s.t.Context(), &s.many, id), func(*run.Reference) (any, error) { return nil, nil })
	require.NoError(s.t, err)
	require.True(s.t, last.Name.Terminal())
	return last
}

func TestARunGoesOnBehindWhatIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t}
		stops := true
		s.effects.stop = func(name string) error {
			if name != "c" || !stops {
				return nil
			}
			stops = false
			return context.Canceled
		}
		id := s.begin(chain(t, hands))
		ctx, leave := context.WithCancelCause(t.Context())
		driven := make(chan error, 1)
		first := s.driver()
		go func() { driven <- first.Drive(ctx, id) }()
		<-time.After(time.Second)
		leave(engine.ErrHandedOff)
		require.ErrorIs(t, <-driven, engine.ErrHandedOff)
		require.NoError(t, s.driver().Drive(t.Context(), id))
		require.Equal(t, []string{"a", "c", "c", "d"}, s.effects.calls)
		end := s.end(id)
		require.Equal(t, engine.StatusCompleted, end.Result.Status)
		require.Equal(t, []string{"a", "b", "c", "d"}, end.Result.Order)
		require.Equal(t, 1, end.Result.Nodes["c"].Attempts, "the attempt that was under way keeps its number")
	})
}

func TestARunThatOnlyWaitsIsGivenUpAndGoneOnWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t}
		id := s.begin(chain(t, waits))
		h := s.driver()
		parked, ok := errors.AsType[*engine.Parked](h.Drive(t.Context(), id))
		require.True(t, ok)
		require.InDelta(t, time.Hour, time.Until(parked.Until), float64(2*time.Second))
		<-time.After(time.Until(parked.Until))
		require.NoError(t, s.driver().Drive(t.Context(), id))
		require.Equal(t, []string{"a", "c", "d"}, s.effects.calls)
		require.Equal(t, engine.StatusCompleted, s.end(id).Result.Status)
	})
}

func TestNothingFailsWhileTheStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t}
		s.effects.stop = func(name string) error {
			if name == "c" {
				s.away.Store(true)
				time.AfterFunc(45*time.Second, func() { s.away.Store(false) })
			}
			return nil
		}
		id := s.begin(chain(t, hands))
		require.NoError(t, s.driver().Drive(t.Context(), id))
		require.Equal(t, []string{"a", "c", "d"}, s.effects.calls)
		require.Equal(t, engine.StatusCompleted, s.end(id).Result.Status)
	})
}

func TestARunThatNoWorkerKnowsHowToDoFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t}
		def := chain(t, hands)
		def.Nodes[2].Type = "plugin.gone"
		id := s.begin(def)
		require.NoError(t, s.driver().Drive(t.Context(), id))
		require.Equal(t, engine.CodeUnknownNodeType, s.end(id).Error.Code)
		require.Empty(t, s.effects.calls)
	})
}

func TestARunWithoutATaskEndsWithWhatIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t}
		id := s.begin(chain(t, waits))
		h := s.driver()
		_, parked := errors.AsType[*engine.Parked](h.Drive(t.Context(), id))
		require.True(t, parked)
		require.NoError(t, h.Abandon(t.Context(), id))
		end := s.end(id)
		require.Equal(t, node.CodeInterrupted, end.Error.Code)
		require.Equal(t, engine.StatusSucceeded, end.Result.Nodes["a"].Status)
		require.Equal(t, engine.StatusCancelled, end.Result.Nodes["d"].Status)
	})
}

// A damaged run ends, both when it is to be driven and when it is to be ended: a retry cannot
// help.
func TestDamagedRunEnds(t *testing.T) {
	for _, what := range []string{"starts", "frames"} {
		for name, bring := range map[string]func(*cluster.Holder, context.Context, string) error{"driven": (*cluster.Holder).Drive, "abandoned": (*cluster.Holder).Abandon} {
			t.Run(what+", "+name, func(t *testing.T) {
				staged(t, func(s *stage) {
					id := s.begin(chain(s.t, waits))
					_, parked := errors.AsType[*engine.Parked](s.driver().Drive(s.t.Context(), id))
					require.True(s.t, parked)
					s.spoilt.Store(&what)
					require.NoError(s.t, bring(s.driver(), s.t.Context(), id))
					s.spoilt.Store(nil)
					require.Equal(s.t, node.CodeDamaged, s.end(id).Error.Code)
				})
			})
		}
	}
}

// A process that stops lets calls end, writes their results and hands its runs off: the next
// driver repeats no call.
func TestStoppingRepeatsNoCall(t *testing.T) {
	staged(t, func(s *stage) {
		s.effects.during = func(context.Context) { <-time.After(10 * time.Second) }
		id := s.begin(chain(s.t, hands))
		first := s.driver()
		time.AfterFunc(time.Second, first.Leave)
		began := time.Now()
		require.ErrorIs(s.t, first.Drive(s.t.Context(), id), engine.ErrHandedOff)
		require.Equal(s.t, 10*time.Second, time.Since(began))
		require.Equal(s.t, []string{"a"}, s.effects.calls)
		require.ErrorIs(s.t, first.Drive(s.t.Context(), id), engine.ErrHandedOff, "it takes nothing more")
		began = time.Now()
		require.NoError(s.t, s.driver().Drive(s.t.Context(), id))
		require.Less(s.t, time.Since(began), 21*time.Second, "it was not waited for the one who has left")
		require.Equal(s.t, []string{"a", "c", "d"}, s.effects.calls)
	})
}
