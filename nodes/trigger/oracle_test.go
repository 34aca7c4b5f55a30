package trigger_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The oracle is a slow reference implementation of cron. It steps through all minutes and
// reads the local clock. It fires for the local times that are shown for the first time,
// and for those that the clock skips. It shares no code with the schedule.

// everyZone returns time zones with clock changes of one hour, half an hour and two hours,
// at midnight, in both hemispheres, and without changes.
func everyZone() []string {
	return []string{
		"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Cairo",
		"America/Santiago", "Asia/Kathmandu", "America/St_Johns", "Africa/Casablanca",
	}
}

// TestTimesAgainstAnOracle compares random expressions with the oracle: a few in each run,
// and with SVC_SOAK 1,000 over ten years in ten zones.
func TestTimesAgainstAnOracle(t *testing.T) {
	expressions, years := 10, 1
	if os.Getenv("SVC_SOAK") != "" {
		expressions, years = 100, 10
	}
	random := rand.New(rand.NewPCG(16, 1))
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	end := start.AddDate(years, 0, 0)
	for _, name := range everyZone() {
		t.Run(name, func(t *testing.T) {
			zone, err := time.LoadLocation(name)
			require.NoError(t, err)
			var walkers []*walker
			for range expressions {
				fields, text := randomCron(random)
				w := &walker{text: text, fields: fields, next: times(t, record{"cron": text, "timezone": name}).Next}
				w.due = w.next(start)
				walkers = append(walkers, w)
			}
			walk(t, zone, start, end, walkers)
		})
	}
}

// walker compares one expression with the oracle.
type walker struct {
	text   string
	fields [5]set
	next   func(time.Time) time.Time
	due    time.Time
	fired  int
}

// walk reads the local clock of a zone in every minute after start.
func walk(t *testing.T, zone *time.Location, start, end time.Time, walkers []*walker) {
	t.Helper()
	last := shown(start.In(zone))
	for at := start.Add(time.Minute); at.Before(end); at = at.Add(time.Minute) {
		now := shown(at.In(zone))
		if now <= last {
			continue // shown before
		}
		for _, w := range walkers {
			fires := false
			for minute := last + 1; minute <= now && !fires; minute++ {
				fires = w.fires(minute)
			}
			if fires != w.due.Equal(at) {
				t.Fatalf("%s: at %s the oracle says %v, the schedule fires at %s", w.text, at.In(zone), fires, w.due)
			}
			if fires {
				w.fired++
				w.due = w.next(at)
			}
		}
		last = now
	}
	fired := 0
	for _, w := range walkers {
		fired += w.fired
	}
	require.Greater(t, fired, len(walkers))
}

// shown returns the local time as a number of minutes.
func shown(at time.Time) int64 {
	_, offset := at.Zone()
	return (at.Unix() + int64(offset)) / 60
}

// fires reports whether the expression matches a local time.
func (w *walker) fires(minute int64) bool {
	if !w.fields[0].has[minute%60] || !w.fields[1].has[minute/60%24] {
		return false
	}
	day := time.Unix(minute*60, 0).UTC()
	if !w.fields[3].has[day.Month()] {
		return false
	}
	month, week := w.fields[2].has[day.Day()], w.fields[4].has[day.Weekday()]
	if w.fields[2].all || w.fields[4].all {
		return month && week
	}
	return month || week
}

// set is the set of numbers in a field.
type set struct {
	all bool
	has [60]bool
}

// randomCron returns a random expression, and the sets of its fields.
func randomCron(r *rand.Rand) (fields [5]set, text string) {
	bounds := [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	var words []string
	for i, b := range bounds {
		var word string
		fields[i], word = randomField(r, b[0], b[1], i >= 2)
		words = append(words, word)
	}
	if !fields[2].all { // a day that every month has, so that the expression matches
		day := 1 + r.IntN(28)
		fields[2].has[day] = true
		words[2] += "," + strconv.Itoa(day)
	}
	return fields, strings.Join(words, " ")
}

func randomField(r *rand.Rand, lo, hi int, oftenAll bool) (s set, text string) {
	n := func() int { return lo + r.IntN(hi-lo+1) }
	mark := func(from, to, step int) {
		for i := from; i <= to; i += step {
			s.has[i] = true
		}
	}
	kind := r.IntN(5)
	if oftenAll && r.IntN(2) == 0 {
		kind = 0
	}
	switch kind {
	case 0:
		s.all = true
		mark(lo, hi, 1)
		return s, "*"
	case 1:
		step := 2 + r.IntN(min(10, hi-lo-1))
		mark(lo, hi, step)
		return s, fmt.Sprintf("*/%d", step)
	case 2:
		from, to := n(), n()
		if from > to {
			from, to = to, from
		}
		mark(from, to, 1)
		return s, fmt.Sprintf("%d-%d", from, to)
	case 3:
		a, b := n(), n()
		mark(a, a, 1)
		mark(b, b, 1)
		return s, fmt.Sprintf("%d,%d", a, b)
	default:
		a := n()
		mark(a, a, 1)
		return s, strconv.Itoa(a)
	}
}
