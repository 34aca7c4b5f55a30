package storetest

import (
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// testRefusedStarts checks that a refused start leaves nothing behind.
func testRefusedStarts(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	none, invalid, notFinite := RunStart(1), RunStart(1), RunStart(1)
	none.Definition = nil
	invalid.Definition.Nodes[0].TimeoutMs = -1
	notFinite.Inputs = map[string]any{"x": make(chan int)}
	for _, start := range []run.Start{none, invalid, notFinite} {
		_, err := s.Create(t.Context(), start)
		require.Error(t, err)
		requireNoRun(t, s, start.RunID)
	}
	create(t, s, RunStart(1))
	_, err := s.Create(t.Context(), RunStart(1))
	require.ErrorIs(t, err, fs.ErrExist)
	require.Empty(t, allFrames(t, s, RunID(1)))
}

func testRefusedFrames(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	j := create(t, s, RunStart(1))
	appendAll(t, j, Frame(1, "one"))
	last := LastFrame(1, 2, engine.StatusFailed)
	for name, f := range map[string]run.Frame{
		"same again":   Frame(1, "one"),
		"gap":          Frame(3, "three"),
		"zero":         Frame(0, "zero"),
		"no name":      {Seq: 2, Data: []byte("{}")},
		"name":         {Seq: 2, Name: "a b", Data: []byte("{}")},
		"two lines":    {Seq: 2, Name: engine.EventProgress, Data: []byte("{\n}")},
		"no status":    {Seq: 2, Name: engine.EventFailed, Data: last.Data},
		"not terminal": LastFrame(1, 2, engine.StatusRunning),
		"of a node":    LastFrame(1, 2, engine.StatusSucceeded),
	} {
		require.Error(t, j.Append(f), name)
		require.Equal(t, []run.Frame{Frame(1, "one")}, allFrames(t, s, RunID(1)), name)
	}
	appendAll(t, j, last)
	require.ErrorIs(t, j.Append(Frame(3, "three")), fs.ErrClosed)
	require.ErrorIs(t, j.Append(LastFrame(1, 3, engine.StatusFailed)), fs.ErrClosed)
	require.Equal(t, []run.Frame{Frame(1, "one"), last}, allFrames(t, s, RunID(1)))
}

func testFramesBySize(t *testing.T, open OpenRuns) {
	s := open()
	j := create(t, s, RunStart(1))
	small, big := Frame(1, strings.Repeat("s", 100)), Frame(3, strings.Repeat("b", 300_000))
	size := len(small.Name) + len(small.Data)
	frames := []run.Frame{small, Frame(2, strings.Repeat("t", 100)), big}
	for seq := 4; seq < 2000; seq++ {
		frames = append(frames, Frame(seq, strings.Repeat("u", seq%150)))
	}
	appendAll(t, j, frames...)
	check := func() {
		t.Helper()
		for _, test := range []struct{ after, maxBytes, from, to int }{
			{-1, 2 * size, 0, 2},
			{0, 0, 0, 1},
			{0, size, 0, 1},
			{0, 2*size - 1, 0, 1},
			{0, 2 * size, 0, 2},
			{0, 3 * size, 0, 2},
			{1, 2 * size, 1, 2},
			{2, 1, 2, 3},
			{0, 1 << 30, 0, len(frames)},
			{1900, 1 << 30, 1900, len(frames)},
			{len(frames), 1000, 0, 0},
			{len(frames) + 5, 1000, 0, 0},
		} {
			got, err := s.Frames(t.Context(), RunID(1), test.after, test.maxBytes)
			require.NoError(t, err)
			require.Len(t, got, test.to-test.from, "%+v", test)
			for i, f := range got {
				require.Equal(t, frames[test.from+i], f)
			}
		}
	}
	check()
	require.NoError(t, s.Close())
	s = opened(t, open)
	check()
}

// testFollow checks that readers see the acknowledged frames, in order, while more are written.
func testFollow(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	j := create(t, s, RunStart(1))
	const frames = 300
	var acknowledged sync.WaitGroup
	acknowledged.Go(func() {
		for seq := 1; seq < frames; seq++ {
			assert.NoError(t, j.Append(Frame(seq, strings.Repeat("x", seq*7))))
		}
		assert.NoError(t, j.Append(LastFrame(1, frames, engine.StatusCompleted)))
	})
	for range 3 {
		acknowledged.Go(func() {
			for seen := 0; seen < frames; {
				got, err := s.Frames(t.Context(), RunID(1), seen, 5000)
				if !assert.NoError(t, err) {
					return
				}
				for _, f := range got {
					seen++
					assert.Equal(t, seen, f.Seq)
				}
			}
		})
	}
	acknowledged.Wait()
}

func testManyAtOnce(t *testing.T, open OpenRuns) {
	s := open()
	const runs, frames = 10, 20
	var wg sync.WaitGroup
	for n := range runs {
		wg.Go(func() {
			j, err := s.Create(t.Context(), RunStart(n))
			if !assert.NoError(t, err) {
				return
			}
			for seq := 1; seq < frames; seq++ {
				assert.NoError(t, j.Append(Frame(seq, fmt.Sprint(n, seq))))
				_, err := s.Records(t.Context(), run.Query{})
				assert.NoError(t, err)
			}
			assert.NoError(t, j.Append(LastFrame(n, frames, engine.StatusCompleted)))
		})
	}
	wg.Wait()
	require.NoError(t, s.Close())
	s = opened(t, open)
	for n := range runs {
		got := allFrames(t, s, RunID(n))
		require.Len(t, got, frames)
		require.Equal(t, Frame(3, fmt.Sprint(n, 3)), got[2])
		require.Equal(t, LastFrame(n, frames, engine.StatusCompleted), got[frames-1])
	}
}

// testDataIsNotRead checks that a journal reads only the head of a frame, since the data may be
// large.
func testDataIsNotRead(t *testing.T, open OpenRuns) {
	s := opened(t, open)
	j := create(t, s, RunStart(1))
	last := LastFrame(1, 1, engine.StatusCancelled)
	last.Data = []byte("not what an event looks like")
	appendAll(t, j, last)
	page, err := s.Records(t.Context(), run.Query{Status: engine.StatusCancelled})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, last.Time, page.Items[0].FinishedAt)
}
