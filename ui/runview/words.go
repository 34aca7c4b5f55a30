package runview

import (
	"strconv"
	"time"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
)

// Duration prints d in a few letters: "<0.1 ms", "0.1 ms", "342 ms", "1.24 s", "2 min 5 s",
// "3 h 20 min".
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute-5*time.Millisecond: // otherwise it would be 60.00 s
		return scene.Briefly(d)
	case d < time.Hour:
		return twoUnits(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	}
	return twoUnits(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
}

// twoUnits prints d in a larger and a smaller unit, without the latter if it is 0.
func twoUnits(d, large time.Duration, largeName string, small time.Duration, smallName string) string {
	text := strconv.Itoa(int(d/large)) + " " + largeName
	if rest := d % large / small; rest > 0 {
		text += " " + strconv.Itoa(int(rest)) + " " + smallName
	}
	return text
}

// Ago describes the time from at to now.
func Ago(at, now time.Time) string {
	n := func(unit time.Duration) map[string]any { return map[string]any{"N": int(now.Sub(at) / unit)} }
	switch d := now.Sub(at); {
	case d < time.Minute:
		return lang.L("just now")
	case d < time.Hour:
		return lang.L("{{.N}} min ago", n(time.Minute))
	case d < 24*time.Hour:
		return lang.L("{{.N}} h ago", n(time.Hour))
	case d < 48*time.Hour:
		return lang.L("yesterday")
	}
	return lang.L("{{.N}} days ago", n(24*time.Hour))
}

// clock prints a time of day, with the date unless that is today.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if y, m, d := now.Date(); at.After(time.Date(y, m, d, 0, 0, 0, 0, now.Location())) {
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04")
}

// statusWord returns the word for the status of a node or a run.
func statusWord(s engine.Status) string {
	switch s {
	case engine.StatusPending, engine.StatusWaiting:
		return lang.L("waiting")
	case engine.StatusRunning:
		return lang.L("running")
	case engine.StatusSucceeded:
		return lang.L("succeeded")
	case engine.StatusFailed:
		return lang.L("failed")
	case engine.StatusSkipped:
		return lang.L("skipped")
	case engine.StatusCancelled:
		return lang.L("cancelled")
	case engine.StatusCompleted:
		return lang.L("completed")
	}
	return s.String()
}

// statusInk returns the colour of a status.
func statusInk(s engine.Status) kit.ColorFunc {
	switch s {
	case engine.StatusRunning:
		return kit.Running
	case engine.StatusSucceeded, engine.StatusCompleted:
		return kit.OK
	case engine.StatusFailed:
		return kit.Error
	default:
		return kit.Dim
	}
}
