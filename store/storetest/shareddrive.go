package storetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// sharedPatience is how long to wait for something on a slow machine.
const sharedPatience = time.Minute

func testFencing(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	begin(t, one, 1)
	first := take(t, one, 1, "one")
	write(t, first, Frame(1, "one"))
	second := take(t, other, 1, "other")
	require.Greater(t, second.Epoch, first.Epoch)
	require.Equal(t, 1, second.Frames)
	for _, frames := range [][]run.Frame{{Frame(2, "late")}, {LastFrame(1, 2, engine.StatusFailed)}} {
		require.ErrorIs(t, first.Append(t.Context(), frames...), store.ErrRunTaken)
	}
	require.ErrorIs(t, first.Leave(t.Context(), time.Time{}), store.ErrRunTaken)
	write(t, second, Frame(2, "two"))
	third := take(t, other, 1, "other")
	require.ErrorIs(t, second.Append(t.Context(), Frame(3, "late")), store.ErrRunTaken, "its earlier self, too")
	last := LastFrame(1, 3, engine.StatusCompleted)
	write(t, third, last)
	require.ErrorIs(t, third.Append(t.Context(), Frame(4, "behind the end")), fs.ErrClosed)
	require.ErrorIs(t, first.Append(t.Context(), LastFrame(1, 2, engine.StatusCompleted)), store.ErrRunTaken)
	require.Equal(t, []run.Frame{Frame(1, "one"), Frame(2, "two"), last}, sharedFrames(t, one, 1))
	_, err := one.Take(t.Context(), RunID(1), "one")
	require.ErrorIs(t, err, store.ErrRunEnded)
	_, err = one.Take(t.Context(), RunID(2), "one")
	require.ErrorIs(t, err, store.ErrRunNotFound)
}

func testLeases(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	for n := range 3 {
		begin(t, one, n)
		require.NoError(t, one.Renew(t.Context(), "one"))
		take(t, one, n, "one")
	}
	_, err := other.Take(t.Context(), RunID(0), "other")
	require.ErrorIs(t, err, store.ErrRunDriven)
	ids, err := other.Unfinished(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, ids)
	require.ErrorIs(t, other.Delete(t.Context(), RunID(0)), store.ErrRunRunning)

	began := time.Now()
	require.NoError(t, one.Renew(t.Context(), "one"))
	require.Eventually(t, func() bool {
		_, err := other.Take(t.Context(), RunID(0), "other")
		return err == nil
	}, sharedPatience, sharedPatience/500, "the driver died")
	require.Greater(t, time.Since(began), store.LeaseLife-time.Second)

	require.NoError(t, one.Renew(t.Context(), "one"))
	_, err = other.Take(t.Context(), RunID(1), "other")
	require.ErrorIs(t, err, store.ErrRunDriven)
	require.NoError(t, one.Retire(t.Context(), "one"))
	take(t, other, 1, "other")
	ids, err = other.Unfinished(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, ids, 1, "as many as were asked for")
}

func testDisown(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	for n := range 3 {
		begin(t, one, n)
		require.NoError(t, one.Renew(t.Context(), "one"))
		take(t, one, n, "one")
	}
	begin(t, one, 3)
	require.NoError(t, other.Renew(t.Context(), "other"))
	foreign := take(t, other, 3, "other")
	require.NoError(t, one.ReleaseAllExcept(t.Context(), "one", runIDs(1, 7)))
	taken := take(t, other, 0, "other")
	require.Equal(t, 1, taken.Takes, "it was left in good order")
	require.False(t, taken.Lost)
	_, err := other.Take(t.Context(), RunID(1), "other")
	require.ErrorIs(t, err, store.ErrRunDriven)
	require.NoError(t, one.ReleaseAllExcept(t.Context(), "one", nil))
	take(t, other, 1, "other")
	take(t, other, 2, "other")
	write(t, foreign, LastFrame(3, 1, engine.StatusCompleted))
	require.NoError(t, other.ReleaseAllExcept(t.Context(), "other", nil), "what has ended stays")
	changes, err := one.Changes(t.Context(), runIDs(3))
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, changes[0].Status)
}

func testTakes(t *testing.T, s SharedStore) {
	h := s.Open()
	begin(t, h, 1)
	for n := range 6 {
		taken := take(t, h, 1, fmt.Sprint("d", n))
		require.Equal(t, n+1, taken.Takes)
		require.Equal(t, n > 0, taken.Lost, "nobody has left it")
	}
	taken := take(t, h, 1, "d")
	write(t, taken, Frame(1, "one"))
	taken = take(t, h, 1, "d")
	require.Equal(t, 8, taken.Takes, "progress is not getting on")
	ended := engine.Event{Name: engine.EventNode, Seq: 2, RunID: RunID(1), NodeID: "a", Status: engine.StatusSucceeded}
	write(t, taken, run.NewFrame(&ended, ended.AppendJSON(nil, engine.NoElision)), Frame(3, "two"))
	require.Equal(t, 2, take(t, h, 1, "d").Takes, "it has got on, and its driver has died behind that")
	taken = take(t, h, 1, "d")
	require.Equal(t, 3, taken.Takes)
	for range 2 {
		require.NoError(t, taken.Leave(t.Context(), time.Time{}))
		taken = take(t, h, 1, "d")
		require.Equal(t, 3, taken.Takes, "who leaves it in good order has not died with it, but somebody else has")
		require.False(t, taken.Lost)
	}
}

func testParked(t *testing.T, s SharedStore) {
	h := s.Open()
	begin(t, h, 1)
	begin(t, h, 2)
	require.NoError(t, h.Renew(t.Context(), "d"))
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	require.NoError(t, take(t, h, 1, "d").Leave(t.Context(), until))
	require.NoError(t, take(t, h, 2, "d").Leave(t.Context(), time.Now().Add(-time.Second)))
	ids, err := h.Unfinished(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, runIDs(2), ids)
	changes, err := h.Changes(t.Context(), runIDs(1))
	require.NoError(t, err)
	require.Equal(t, []store.Change{{RunID: RunID(1), Status: engine.StatusRunning, Epoch: 1, Parked: until}}, changes)
	take(t, h, 1, "d") // like a driver that was woken early
	changes, err = h.Changes(t.Context(), runIDs(1))
	require.NoError(t, err)
	require.Equal(t, []store.Change{{RunID: RunID(1), Status: engine.StatusRunning, Epoch: 2, Driver: "d"}}, changes)
}

func testAllOrNone(t *testing.T, s SharedStore) {
	h := s.Open()
	begin(t, h, 1)
	j := take(t, h, 1, "d")
	lacks := Frame(2, "two")
	lacks.Holes = []run.Reference{{At: 3, Size: 5000, Digest: run.Digest{1}}}
	for name, frames := range map[string][]run.Frame{
		"gap":          {Frame(1, "one"), Frame(3, "three")},
		"same":         {Frame(1, "one"), Frame(1, "one")},
		"behind end":   {LastFrame(1, 1, engine.StatusFailed), Frame(2, "two")},
		"lacks values": {Frame(1, "one"), lacks},
	} {
		require.Error(t, j.Append(t.Context(), frames...), name)
		require.Empty(t, sharedFrames(t, h, 1), name)
	}
	var frames []run.Frame
	for seq := 1; seq < 250; seq++ {
		frames = append(frames, Frame(seq, fmt.Sprint(seq)))
	}
	frames = append(frames, LastFrame(1, 250, engine.StatusCompleted))
	write(t, j, frames...)
	require.Equal(t, frames, sharedFrames(t, h, 1))
}

func testTimeGoesOn(t *testing.T, s SharedStore) {
	h := s.Open()
	begin(t, h, 1)
	at := func(seq int, after time.Duration) run.Frame {
		e := engine.Event{Name: engine.EventProgress, Seq: seq, RunID: RunID(1), Time: Epoch().Add(after), NodeID: "n"}
		return run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision))
	}
	j := take(t, h, 1, "d")
	require.True(t, j.Last.IsZero())
	write(t, j, at(1, time.Second), at(2, time.Second), at(3, 3*time.Second))
	require.ErrorIs(t, j.Append(t.Context(), at(4, 2*time.Second)), store.ErrFrameEarlier)
	j = take(t, h, 1, "d")
	require.Equal(t, Epoch().Add(3*time.Second), j.Last)
	require.ErrorIs(t, j.Append(t.Context(), at(4, 4*time.Second), at(5, 2*time.Second)), store.ErrFrameEarlier)
	write(t, j, at(4, 3*time.Second))
	require.Len(t, sharedFrames(t, h, 1), 4)
}

func testChanges(t *testing.T, s SharedStore) {
	one, other := s.Open(), s.Open()
	for n := range 3 {
		begin(t, one, n)
	}
	write(t, take(t, one, 1, "d"), Frame(1, "one"))
	write(t, take(t, one, 2, "d"), Frame(1, "one"), LastFrame(2, 2, engine.StatusFailed))
	require.NoError(t, other.RequestCancel(t.Context(), RunID(1)))
	require.NoError(t, other.RequestCancel(t.Context(), RunID(1)))
	require.ErrorIs(t, other.RequestCancel(t.Context(), RunID(2)), store.ErrRunEnded)
	require.ErrorIs(t, other.RequestCancel(t.Context(), RunID(3)), store.ErrRunNotFound)
	changes, err := other.Changes(t.Context(), append(runIDs(0, 1, 2, 3), "none", "../x"))
	require.NoError(t, err)
	require.ElementsMatch(t, []store.Change{
		{RunID: RunID(0), Status: engine.StatusRunning},
		{RunID: RunID(1), Status: engine.StatusRunning, Frames: 1, Epoch: 1, Driver: "d", Cancelled: true},
		{RunID: RunID(2), Status: engine.StatusFailed, Frames: 2, Epoch: 1},
	}, changes)
	require.True(t, take(t, other, 1, "d").Cancelled)
	changes, err = other.Changes(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, changes)
}

func testAdmit(t *testing.T, s SharedStore) {
	h, limits := s.Open(), store.SharedLimits{Unfinished: 2}
	for n := range 6 {
		require.NoError(t, h.Begin(t.Context(), waits(n), limits), "it takes no place")
	}
	record, err := h.Record(t.Context(), RunID(1))
	require.NoError(t, err)
	require.Equal(t, engine.StatusWaiting, record.Status)
	require.Equal(t, waits(1).StartedBy, record.StartedBy)
	require.ErrorIs(t, h.Delete(t.Context(), RunID(1)), store.ErrRunRunning)

	errs := together(s, 2, 6, func(h store.SharedRuns, n int) error { return h.Admit(t.Context(), RunID(n), limits) })
	require.Equal(t, 2, count(t, errs, store.ErrNoPlace))
	for n, err := range errs {
		if err != nil {
			continue
		}
		require.NoError(t, h.Admit(t.Context(), RunID(n), limits), "it has its place")
		write(t, take(t, h, n, "d"), Frame(1, "begins"))
		changes, err := h.Changes(t.Context(), runIDs(n))
		require.NoError(t, err)
		require.Equal(t, engine.StatusRunning, changes[0].Status)
		write(t, take(t, h, n, "d"), LastFrame(n, 2, engine.StatusCompleted))
		require.ErrorIs(t, h.Admit(t.Context(), RunID(n), limits), store.ErrRunEnded)
	}
	require.ErrorIs(t, h.Admit(t.Context(), RunID(100), limits), store.ErrRunNotFound)
	require.Len(t, sharedRecords(t, h, run.Query{Status: engine.StatusWaiting}), 4)
	require.NoError(t, h.Begin(t.Context(), RunStart(7), limits))
	require.NoError(t, h.Begin(t.Context(), RunStart(8), limits))
	require.ErrorIs(t, h.Begin(t.Context(), RunStart(9), limits), store.ErrNoPlace)
}

func sharedRecords(t *testing.T, s store.SharedRuns, q run.Query) []run.Record {
	t.Helper()
	page, err := s.Records(t.Context(), q)
	require.NoError(t, err)
	return page.Items
}

func testSharedIDs(t *testing.T, s SharedStore) {
	h := s.Open()
	for _, id := range append(ids(), "", "..", "a-run", "0d5ac5ce-45b3-4b70-9f4a-3c1c6cb8a0f4", strings.ToUpper("0199abcd-0000-7000-8000-000000000000")) {
		start := RunStart(1)
		start.RunID = id
		require.Error(t, h.Begin(t.Context(), start, store.SharedLimits{}), "%q", id)
		require.NotErrorIs(t, h.Begin(t.Context(), start, store.SharedLimits{}), store.ErrUnavailable)
		_, err := h.Frames(t.Context(), id, 0, 1)
		require.ErrorIs(t, err, store.ErrRunNotFound)
		_, err = h.Take(t.Context(), id, "d")
		require.ErrorIs(t, err, store.ErrRunNotFound)
		require.ErrorIs(t, h.RequestCancel(t.Context(), id), store.ErrRunNotFound)
		require.ErrorIs(t, h.Admit(t.Context(), id, store.SharedLimits{}), store.ErrRunNotFound)
		require.ErrorIs(t, h.Delete(t.Context(), id), store.ErrRunNotFound)
	}
}

// testBigValue stores a value in which multi-byte characters lie across the borders of pieces.
func testBigValue(t *testing.T, s SharedStore) {
	h, other := s.Open(), s.Open()
	text := []byte(`"` + strings.Repeat("é🚀x", 20<<20/7) + `"`)
	begin(t, h, 1)
	j := take(t, h, 1, "d")
	d, err := other.Put(t.Context(), RunID(1), text)
	require.NoError(t, err)
	require.Equal(t, run.Digest(sha256.Sum256(text)), d)
	_, err = h.Put(t.Context(), RunID(1), text)
	require.NoError(t, err, "once is enough")
	f := Frame(1, "one")
	f.Holes = []run.Reference{{At: 3, Size: len(text), Digest: d}}
	second := []byte(`"` + strings.Repeat("y", 3<<20) + `"`)
	g := Frame(2, "two")
	g.Holes = []run.Reference{{At: 3, Size: len(second), Digest: sha256.Sum256(second), Text: second}}
	write(t, j, f, g)
	for _, want := range [][]byte{text, second} {
		got, err := other.Value(t.Context(), RunID(1), sha256.Sum256(want))
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got))
	}
	g.Holes[0].Text = nil
	require.Equal(t, []run.Frame{f, g}, sharedFrames(t, other, 1))
	write(t, j, LastFrame(1, 3, engine.StatusCompleted))
	_, err = h.Put(t.Context(), RunID(1), []byte("1"))
	require.ErrorIs(t, err, store.ErrRunEnded)
	_, err = h.Put(t.Context(), RunID(2), []byte("1"))
	require.ErrorIs(t, err, store.ErrRunNotFound)
}

func testSharedBytes(t *testing.T, s SharedStore) {
	h := s.Open()
	begin(t, h, 1)
	var full *store.RunBytesError
	_, err := h.Put(t.Context(), RunID(1), make([]byte, mostBytes+1))
	require.ErrorAs(t, err, &full)
	_, err = h.Put(t.Context(), RunID(1), bytes.Repeat([]byte{'1'}, mostBytes/2))
	require.NoError(t, err)
	j := take(t, h, 1, "d")
	require.ErrorAs(t, j.Append(t.Context(), Frame(1, "one"), Frame(2, strings.Repeat("x", mostBytes/2))), &full)
	require.Empty(t, sharedFrames(t, h, 1))
	last := LastFrame(1, 2, engine.StatusCompleted)
	require.ErrorAs(t, j.Append(t.Context(), Frame(1, strings.Repeat("x", mostBytes/2)), last), &full, "also together with the end")
	require.Empty(t, sharedFrames(t, h, 1))
	write(t, j, Frame(1, "one"), last)
}
