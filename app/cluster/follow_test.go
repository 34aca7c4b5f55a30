package cluster_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// counted counts the frames that one process reads.
type counted struct {
	*memstore.Shared

	frames atomic.Int64
}

func (c *counted) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	frames, err := c.Shared.Frames(ctx, runID, after, maxBytes)
	c.frames.Add(int64(len(frames)))
	return frames, err
}

// fourSteps is a workflow of four nodes in a row that take 30 ms each.
const fourSteps = `{"id":"w","nodes":[{"id":"a","type":"control.delay","config":{"ms":30,"value":1}},{"id":"b","type":"control.delay","config":{"ms":30}},
	{"id":"c","type":"control.delay","config":{"ms":30}},{"id":"d","type":"control.delay","config":{"ms":30}}],"connections":[
	{"fromNodeId":"a","fromPort":"value","toNodeId":"b","toPort":"value"},{"fromNodeId":"b","fromPort":"value","toNodeId":"c","toPort":"value"},
	{"fromNodeId":"c","fromPort":"value","toNodeId":"d","toPort":"value"}]}`

// Followers in a process that does not drive the run get all frames, and each frame is read once
// for all of them.
func TestFollowersShareReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &memstore.Shared{}
		var reads []*counted
		apps := processes(t, node.Bundle{Name: "none"}, func() store.SharedRuns {
			reads = append(reads, &counted{Shared: shared})
			return reads[len(reads)-1]
		})
		id, err := apps[0].StartJSON(t.Context(), []byte(fourSteps), run.Request{})
		require.NoError(t, err)
		const framesOf, followers = 10, 50 // the last frame repeats the outputs of four others
		var all sync.WaitGroup
		for range followers {
			all.Go(func() { requireAllFrames(t, apps[1], id, framesOf) })
		}
		<-time.After(100 * time.Millisecond)
		all.Go(func() { requireAllFrames(t, apps[1], id, framesOf) }) // late, while others follow
		all.Wait()
		require.EqualValues(t, framesOf, reads[1].frames.Load())
		requireAllFrames(t, apps[2], id, framesOf)
		require.EqualValues(t, framesOf, reads[2].frames.Load(), "also of a run that has ended")
	})
}

// requireAllFrames follows a run to its end.
func requireAllFrames(t *testing.T, a *app.App, id string, all int) {
	f, err := a.Follow(t.Context(), id, 0)
	seq := 0
	for err == nil {
		var frames []run.Frame
		frames, err = f.Next(t.Context())
		for _, frame := range frames {
			if seq++; frame.Seq != seq {
				t.Errorf("frame %d instead of %d", frame.Seq, seq)
			}
		}
	}
	if !errors.Is(err, io.EOF) || seq != all {
		t.Errorf("%d frames, then %v", seq, err)
	}
}

// A new follower gets the first frames soon, although later polls are rare.
func TestNewFollowersPollSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &memstore.Shared{}
		apps := processes(t, node.Bundle{Name: "none"}, func() store.SharedRuns { return shared })
		_, err := apps[0].StartJSON(t.Context(), []byte(`{"id":"long","nodes":[{"id":"a","type":"control.delay","config":{"ms":60000}}],"connections":[]}`), run.Request{})
		require.NoError(t, err)
		id, err := apps[0].StartJSON(t.Context(), []byte(`{"id":"w","nodes":[{"id":"a","type":"control.delay","config":{"ms":30}}],"connections":[]}`), run.Request{})
		require.NoError(t, err)
		began := time.Now()
		requireAllFrames(t, apps[1], id, 4)
		require.Less(t, time.Since(began), 100*time.Millisecond)
	})
}

// deaf is never asked with success how far runs are.
type deaf struct{ *memstore.Shared }

func (deaf) Changes(context.Context, []string) ([]store.Change, error) { return nil, nil }

// Followers in the process that drives the run do not wait for a poll.
func TestLocalWritesReachFollowersAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := deaf{&memstore.Shared{}}
		apps := processes(t, node.Bundle{Name: "none"}, func() store.SharedRuns { return shared })
		id, err := apps[0].StartJSON(t.Context(), []byte(fourSteps), run.Request{})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f, err := apps[0].Follow(ctx, id, 0)
		require.NoError(t, err)
		var last run.Frame
		for began := time.Now(); !last.Name.Terminal(); {
			frames, err := f.Next(ctx)
			require.NoError(t, err)
			last = frames[len(frames)-1]
			require.WithinDuration(t, last.Time, time.Now(), 0, "after %s", time.Since(began))
		}
	})
}
