package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
)

// inFlightLong is a node whose call lasts longer than its driver is suspended.
const inFlightLong = `{"id":"long","type":"here.note","config":{"ms":30000}}`

// TestAStoppedDriverIsFenced suspends drivers until others take over, and resumes them.
func TestAStoppedDriverIsFenced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, other := w.instance(), w.instance()
	lengths := []time.Duration{20 * time.Second, 5 * time.Second, time.Minute}
	for n := range trials.Of(t, 2, 20) {
		stopped := lengths[n%len(lengths)]
		first := w.member(10, "")
		id := w.started(a, inARow+","+inFlightLong)
		w.until(time.Minute, "the run is under way", func() bool { return w.inFlight([]string{id}) == 2 })
		require.NoError(t, first.Process.Signal(syscall.SIGSTOP))
		began := time.Now()
		second := w.member(10, "")
		if stopped > silence {
			w.until(time.Minute, "another one drives it", func() bool {
				driver := w.changes([]string{id})[id].Driver
				return driver != first.name && driver != ""
			})
		}
		<-time.After(stopped - time.Since(began))
		require.NoError(t, first.Process.Signal(syscall.SIGCONT))
		goesOn := time.Now()
		if stopped > silence {
			w.until(10*time.Second, "its node has been cancelled", func() bool { return w.endedBy(id+"/long", first.name) })
			t.Logf("stopped for %s: its node ended %s after it went on", stopped, time.Since(goesOn).Round(time.Millisecond))
		}
		require.Equal(t, engine.StatusCompleted, w.ended([]string{id}, 2*time.Minute)[id])
		require.Equal(t, w.told(a, id), w.told(other, id), "all instances tell the same")
		for key, by := range w.noted("begin") {
			require.LessOrEqual(t, len(by), 2, key)
		}
		first.end()
		second.end()
	}
}

// endedBy reports whether a process has recorded the end of a call.
func (w *world) endedBy(key, name string) bool {
	w.t.Helper()
	for _, by := range w.noted("end")[key] {
		if by == name {
			return true
		}
	}
	return false
}

// told returns the events of a run that has ended, and checks that they have no gaps.
func (w *world) told(a *app.App, id string) (all []string) {
	w.t.Helper()
	for e, err := range a.Events(w.t.Context(), id, 0) {
		require.NoError(w.t, err)
		require.Equal(w.t, len(all)+1, e.Seq)
		text, err := e.MarshalJSON()
		require.NoError(w.t, err)
		all = append(all, string(text))
	}
	return all
}

// TestTheInstanceThatLetsTriggersFireIsStopped suspends the leader of triggers until another
// instance takes over, and resumes it. No scheduled time is lost or fires twice.
func TestTheInstanceThatLetsTriggersFireIsStopped(t *testing.T) {
	t.Parallel()
	f := &firing{members: newMembers(t)}
	c, err := pgx.Connect(t.Context(), f.database)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	epoch := func() (n int) {
		require.NoError(t, c.QueryRow(t.Context(), `select coalesce(max(epoch), 0) from svc_arming`).Scan(&n))
		return n
	}
	rules := f.members.instance()
	f.until(time.Minute, "it lets triggers fire", func() bool { return epoch() > 0 })
	follows := f.members.instance()
	f.instances = []*member{rules}
	f.drives()
	f.arm(everySecond)
	stops := trials.Of(t, 2, 20)
	for range stops {
		f.fires(rules, 2)
		require.NoError(t, rules.Process.Signal(syscall.SIGSTOP))
		f.fires(follows, 12) // more than fire before another instance must take over
		require.NoError(t, rules.Process.Signal(syscall.SIGCONT))
		rules, follows = follows, rules // unless the other one was so slow that it lost its lease
	}
	require.Greater(t, epoch(), 1, "another one has let triggers fire")
	f.instances = []*member{rules, follows}
	times := f.everyTimeOnce()
	t.Logf("%d stops: %d times, each once; the right to let them fire has changed hands %d times", stops, len(times), epoch()-1)
}

// fires waits until the schedule has started more runs.
func (f *firing) fires(p *member, more int) {
	f.t.Helper()
	count := func() (n int) {
		for e, err := range f.runsOf(p, "often") {
			require.NoError(f.t, err)
			if !e.StartedAt.IsZero() {
				n++
			}
		}
		return n
	}
	before := count()
	f.until(2*time.Minute, "the schedule fires", func() bool { return count() >= before+more })
}
