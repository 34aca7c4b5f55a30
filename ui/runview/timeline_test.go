package runview_test

import (
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestTimelineGoldens(t *testing.T) {
	for name, scheme := range map[string]theme.Scheme{"timeline-light": theme.Light, "timeline-dark": theme.Dark} {
		t.Run(name, func(t *testing.T) {
			test.NewTempApp(t)
			timeline := runview.NewTimeline()
			timeline.Label = names
			w := show(t, scheme, timeline.Object(), 850, 180)
			timeline.Update(fans())
			uitest.Golden(t, name, w.Canvas().Capture(), *update)
		})
	}
}

func TestTimelineFollowsARun(t *testing.T) {
	test.NewTempApp(t)
	timeline := runview.NewTimeline()
	timeline.Label = names
	var shown string
	timeline.OnShow = func(path string) { shown = path }
	w := show(t, theme.Dark, timeline.Object(), 850, 180)
	require.Equal(t, []string{"Run the workflow to see when its nodes ran."}, texts(w))
	timeline.Update(fans())
	require.Equal(t, []string{
		"Search term", "1.0 ms", "Search posts", "440 ms", "Fetch profile", "248 ms", "Send message", "skipped", "Like (5)", "785 ms", "post (2)", "780 ms",
	}, texts(w)[:12])
	uitest.First[*kit.LongList](t, w.Content()).Select(5)
	require.Equal(t, "like/post", shown)
	shown = ""
	uitest.First[*kit.LongList](t, w.Content()).Select(5)
	require.Equal(t, "like/post", shown, "the same row again")
	timeline.Update(nil)
	require.Contains(t, texts(w), "Run the workflow to see when its nodes ran.")
}

// 10,000 nodes are there, but no more is made than what is seen.
func TestTimelineOfManyNodes(t *testing.T) {
	test.NewTempApp(t)
	r, timeline := many(), runview.NewTimeline()
	w := show(t, theme.Dark, timeline.Object(), 850, 180)
	timeline.Update(r)
	require.Less(t, len(texts(w)), 30)
	require.Equal(t, 10_000, uitest.First[*kit.LongList](t, w.Content()).Length())
	uitest.First[*kit.LongList](t, w.Content()).ScrollToBottom()
	require.Contains(t, texts(w), "n9999")
}

// There may be fifteen updates a second while many nodes run.
func BenchmarkTimelineOfManyNodes(b *testing.B) {
	test.NewTempApp(b)
	r, timeline := many(), runview.NewTimeline()
	show(b, theme.Dark, timeline.Object(), 850, 180)
	for b.Loop() {
		timeline.Update(r)
	}
}

// many is what is known of a run of 10,000 nodes.
func many() *record.Recorder {
	r := record.New()
	r.Apply([]engine.Event{{Name: engine.EventStarted, RunID: "r", Time: at(0)}})
	for i := range 10_000 {
		id := fmt.Sprint("n", i)
		r.Apply([]engine.Event{
			{Name: engine.EventStarted, NodeID: id, Time: at(i)},
			{Name: engine.EventNode, NodeID: id, Time: at(i + 1), Duration: time.Millisecond, Status: engine.StatusSucceeded},
		})
	}
	return r
}

func TestRunningBarsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		test.NewTempApp(t)
		r := record.New()
		r.Apply([]engine.Event{
			{Name: engine.EventStarted, RunID: "r", Time: time.Now()},
			{Name: engine.EventStarted, NodeID: "a", Time: time.Now()},
		})
		timeline, summary := runview.NewTimeline(), runview.NewSummary()
		w := show(t, theme.Dark, timeline.Object(), 850, 180)
		for _, want := range []string{"1.00 s", "2.00 s"} {
			time.Sleep(time.Second) //nolint:forbidigo // a bubble's own time
			timeline.Update(r)
			summary.Update(r)
			require.Equal(t, []string{"a", want}, texts(w)[:2])
			require.Equal(t, "running · "+want, summary.Text())
		}
	})
}

func TestSummary(t *testing.T) {
	test.NewTempApp(t)
	s := runview.NewSummary()
	s.Update(nil)
	require.Empty(t, s.Text())
	s.Update(fans())
	require.Equal(t, "failed: the network refused: the scope is missing", s.Text())
	s.Update(record.Past(&engine.Result{Status: engine.StatusCompleted, StartedAt: at(0), FinishedAt: at(342), Duration: 342 * time.Millisecond}))
	require.Equal(t, "completed · 342 ms", s.Text())
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		20 * time.Microsecond: "<0.1 ms", 121 * time.Microsecond: "0.1 ms", 9_960 * time.Microsecond: "10 ms", 342 * time.Millisecond: "342 ms",
		1240 * time.Millisecond: "1.24 s", 59_990 * time.Millisecond: "59.99 s", 60 * time.Second: "1 min", 125 * time.Second: "2 min 5 s",
		200 * time.Minute: "3 h 20 min",
	} {
		require.Equal(t, want, runview.Duration(d))
	}
	test.NewTempApp(t)
	for ago, want := range map[time.Duration]string{
		5 * time.Second: "just now", 2 * time.Minute: "2 min ago", 3 * time.Hour: "3 h ago", 30 * time.Hour: "yesterday", 50 * time.Hour: "2 days ago",
	} {
		require.Equal(t, want, runview.Ago(at(0).Add(-ago), at(0)))
	}
}
