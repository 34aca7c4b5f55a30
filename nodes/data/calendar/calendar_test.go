package calendar_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/data/calendar"
	"github.com/svcflow/svc/nodes/reading"
	"github.com/svcflow/svc/nodes/zone"
)

// in2026 returns the options for the events of 2026 in a zone.
func in2026(t testing.TB, name string) calendar.Options {
	t.Helper()
	z := &zone.Table{}
	at, err := z.Find(name)
	require.NoError(t, err)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return calendar.Options{Zone: at, Find: z.Find, Expand: true, From: zone.Local(start, at), Until: zone.Local(start.AddDate(1, 0, 0), at)}
}

// read reads the bytes of a calendar as the node does.
func read(t testing.TB, data []byte, o calendar.Options) ([]calendar.Event, []reading.Note) {
	t.Helper()
	text, _, _, err := charset.Text(calendar.Rejoin(data), "", "")
	require.NoError(t, err)
	var notes reading.Notes
	events, err := calendar.Read(t.Context(), text, o, &notes)
	require.NoError(t, err)
	return events, notes.All()
}

// starts returns the starts of the events of a calendar with the given lines, and the notes.
func starts(t testing.TB, o calendar.Options, lines ...string) (all, notes []string) {
	t.Helper()
	events, found := read(t, []byte("BEGIN:VCALENDAR\r\n"+strings.Join(lines, "\r\n")+"\r\nEND:VCALENDAR\r\n"), o)
	for _, e := range events {
		layout := "2006-01-02T15:04Z07:00"
		if e.AllDay {
			layout = time.DateOnly
		}
		all = append(all, e.Start.Format(layout))
	}
	for i := range found {
		notes = append(notes, found[i].String())
	}
	return all, notes
}

// event returns the lines of an event.
func event(lines ...string) string {
	return "BEGIN:VEVENT\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VEVENT"
}

func TestEventsAreThoseOfTheReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.json")
	require.NoError(t, err)
	var reference map[string]struct{ Events []string }
	require.NoError(t, json.Unmarshal(data, &reference))
	require.GreaterOrEqual(t, len(reference), 20)
	for name, want := range reference {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		events, notes := read(t, data, in2026(t, "UTC"))
		got := []string{}
		for _, e := range events {
			layout := "2006-01-02T15:04:05Z"
			if e.AllDay {
				layout = time.DateOnly
			}
			got = append(got, fmt.Sprintf("%s %s %s %s", e.Start.UTC().Format(layout), e.End.UTC().Format(layout), e.ID, e.Title))
		}
		slices.Sort(got)
		require.Equal(t, want.Events, got, name)
		for _, n := range notes {
			require.False(t, n.Dropped, "%s: %s", name, n.String())
		}
	}
}

func TestFoldsInsideOfACharacterAreJoined(t *testing.T) {
	text := "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260901T100000Z\r\nSUMMARY:Gr\xc3\r\n \xbc\xc3\x9fe \xe6\x97\xa5\xe6\n\t\x9c\xac and \r\n  more\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	events, notes := read(t, []byte(text), in2026(t, "UTC"))
	require.Equal(t, "Grüße 日本 and  more", events[0].Title)
	require.Empty(t, notes)
	latin := "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260901T100000Z\nSUMMARY:Gr\xfc\xdfe und Gl\xfc\n ck\nEND:VEVENT\nEND:VCALENDAR\n"
	events, _ = read(t, []byte(latin), in2026(t, "UTC"))
	require.Equal(t, "Grüße und Glück", events[0].Title)
	require.Equal(t, []byte(latin), calendar.Rejoin([]byte(latin)), "other encodings stay as they are")
}

func TestLinesEndInAnyWay(t *testing.T) {
	lines := "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART:20260901T100000Z\r\nSUMMARY:A \r\n title\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	for _, end := range []string{"\r\n", "\n", "\r", "\r\r\n", "\n\n"} {
		events, notes := read(t, []byte(strings.ReplaceAll(lines, "\r\n", end)), in2026(t, "UTC"))
		require.Len(t, events, 1, "%q", end)
		require.Equal(t, "A title", events[0].Title, "%q", end)
		require.Empty(t, notes, "%q", end)
	}
}

func TestJoinedFilesMayHaveMarks(t *testing.T) {
	one := "\ufeffBEGIN:VCALENDAR\r\n" + event("UID:1", "DTSTART:20260901T100000Z") + "\r\nEND:VCALENDAR\r\n"
	events, notes := read(t, []byte(one+one), in2026(t, "UTC"))
	require.Len(t, events, 2)
	require.Empty(t, notes)
}

func TestTextsAreUnescaped(t *testing.T) {
	events, notes := read(t, []byte("BEGIN:VCALENDAR\nVERSION:1.0\nBEGIN:VEVENT\nDTSTART:20260901T100000Z\nSUMMARY;LANGUAGE=en;X=\"a:b\":a\\, b\\; c\\\\n\\d\\nX\\N\n"+
		"LOCATION;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:K=F6=\nln\nDESCRIPTION:one\nnot folded\n\n and more\nATTENDEE;CN=See \"you\":mailto:a@example.com\nEND:VEVENT\nEND:VCALENDAR"), in2026(t, "UTC"))
	require.Equal(t, "a, b; c\\n\\d\nX\n", events[0].Title)
	require.Equal(t, "Köln", events[0].Location)
	require.Equal(t, "one\nnot foldedand more", events[0].Description)
	require.Len(t, notes, 1)
	require.Contains(t, notes[0].String(), `the line "not foldedand more" has no name; it was added to the text before it`)
}

func TestOneBadEventDoesNotSpoilTheOthers(t *testing.T) {
	good := event("UID:9", "SUMMARY:Good", "DTSTART:20260901T100000Z")
	for message, bad := range map[string]string{
		`event "x": its start "20261301" is no time`:                      event("SUMMARY:x", "DTSTART:20261301"),
		`event "x": it has no start (DTSTART)`:                            event("SUMMARY:x"),
		`event "x": its rule "FREQ=NEVER" cannot be read`:                 event("SUMMARY:x", "DTSTART:20260101T000000Z", "RRULE:FREQ=NEVER"),
		`its rule "RSCALE=CHINESE;FREQ=YEARLY" cannot be read`:            event("SUMMARY:x", "DTSTART:20260101T000000Z", "RRULE:RSCALE=CHINESE;FREQ=YEARLY"),
		`event "x": it repeats more than 200000 times before until`:       event("SUMMARY:x", "DTSTART:20260101T000000Z", "RRULE:FREQ=SECONDLY"),
		`FREQ=MINUTELY is read without BY parts only`:                     event("SUMMARY:x", "DTSTART:20260101T000000Z", "RRULE:FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30"),
		`event "x": the event in line 2 has the same UID and the same SE`: event("UID:7", "DTSTART:20270101T000000Z", "SUMMARY:y") + "\r\n" + event("UID:7", "SUMMARY:x", "DTSTART:20270102T000000Z"),
	} {
		got, notes := starts(t, in2026(t, "UTC"), bad, good)
		require.Equal(t, []string{"2026-09-01T10:00Z"}, got, message)
		require.Len(t, notes, 1, message)
		require.Contains(t, notes[0], message)
		events, found := read(t, []byte("BEGIN:VCALENDAR\r\n"+bad+"\r\n"+good+"\r\nEND:VCALENDAR"), in2026(t, "UTC"))
		require.Len(t, events, 1)
		require.True(t, found[0].Dropped)
	}
}

func TestMissingEndsAreRepaired(t *testing.T) {
	o := in2026(t, "UTC")
	first, second := "BEGIN:VEVENT\r\nDTSTART:20260901T100000Z", "BEGIN:VEVENT\r\nDTSTART:20260902T100000Z\r\nBEGIN:VALARM\r\nDTSTART:20990101T000000Z"
	got, notes := starts(t, o, first, second, "END:VEVENT", "END:VTODO")
	require.Equal(t, []string{"2026-09-01T10:00Z", "2026-09-02T10:00Z"}, got)
	require.Equal(t, []string{
		"line 4: END:VEVENT is missing before this line", "line 8: END:VALARM is missing before this line", "line 9: END:VTODO ends nothing and was left out",
	}, notes)

	events, found := read(t, []byte("BEGIN:VCALENDAR\n"+event("DTSTART:20260901T100000Z")+"\n"), o)
	require.Len(t, events, 1)
	require.Len(t, found, 1)
	require.False(t, found[0].Dropped, "all events are whole")
	require.Contains(t, found[0].Message, "breaks off")

	events, found = read(t, []byte("BEGIN:VCALENDAR\n"+event("DTSTART:20260901T100000Z")+"\nBEGIN:VEVENT\nSUMMARY:x\nDTSTART:20260902T10"), o)
	require.Len(t, events, 1)
	require.True(t, found[0].Dropped, "the last line may be cut")
	require.Equal(t, `line 5, event "x": the calendar breaks off in it, at line 7; get the whole file`, found[0].String())

	_, err := calendar.Read(t.Context(), "<html>no calendar</html>", o, nil)
	require.ErrorContains(t, err, "it has no line BEGIN:VCALENDAR")
}

func TestTimesInOtherFormsAreRead(t *testing.T) {
	for line, want := range map[string]string{
		"DTSTART:20260901":                                                             "2026-09-01",
		"DTSTART;VALUE=DATE:20260901T120000":                                           "2026-09-01",
		"DTSTART;VALUE=DATE:2026-09-01":                                                "2026-09-01",
		"DTSTART:20260901T1000Z":                                                       "2026-09-01T10:00Z",
		"DTSTART:2026-09-01T10:00:00Z":                                                 "2026-09-01T10:00Z",
		"DTSTART:20260901T100000.000Z":                                                 "2026-09-01T10:00Z",
		"DTSTART:20260901T100000+0200":                                                 "2026-09-01T08:00Z",
		"dtstart : 20260901t100000z":                                                   "2026-09-01T10:00Z",
		"DTSTART:20260831T240000Z":                                                     "2026-09-01T00:00Z",
		"DTSTART;TZID=(UTC+01:00) Amsterdam, Berlin:20260901T100000":                   "2026-09-01T08:00Z",
		"DTSTART;TZID=\"(UTC-08:00) Pacific Time (US & Canada)\":20260901T100000":      "2026-09-01T17:00Z",
		"DTSTART;TZID=(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi:20260901T100000": "2026-09-01T04:30Z",
		"DTSTART;TZID=(UTC+03:00) Berlin:20260901T100000":                              "2026-09-01T07:00Z",
		"DTSTART;TZID=\"(UTC-03:30) Newfoundland\":20260901T100000":                    "2026-09-01T12:30Z",
		"DTSTART;TZID=\"Europe/Berlin:20260901T100000":                                 "2026-09-01T08:00Z",
		"DTSTART;TZID=GMT+0100:20260901T100000":                                        "2026-09-01T09:00Z",
		"DTSTART;tzid=America/New_York;value=date-time:20260901T100000":                "2026-09-01T14:00Z",
		"DTSTART;TZID=W. Europe Daylight Time:20260901T100000":                         "2026-09-01T08:00Z",
		"DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20260901T100000":  "2026-09-01T08:00Z",
		"DTSTART;TZID=Nowhere:20260901T100000":                                         "2026-09-01T10:00Z",
	} {
		got, _ := starts(t, in2026(t, "UTC"), event("UID:1", line))
		require.Equal(t, []string{want}, got, line)
	}
	_, notes := starts(t, in2026(t, "UTC"), event("DTSTART;TZID=(UTC+01:00) Berlin, Bern:20260901T100000"), event("DTSTART;TZID=(UTC+01:00) Berlin, Bern:20260901T100000"))
	require.Equal(t, []string{`the time zone "(UTC+01:00) Berlin, Bern" is not in the file; it was read as Europe/Berlin`}, notes)
	_, notes = starts(t, in2026(t, "Europe/Berlin"), event("UID:1", "DTSTART;TZID=Nowhere:20260901T100000"))
	require.Equal(t, []string{`line 4, "1": the time zone "Nowhere" is not known; the time was read in Europe/Berlin`}, notes)
}

func TestAVTimezoneWinsOverAWindowsName(t *testing.T) {
	own := "BEGIN:VTIMEZONE\r\nTZID:Pacific Standard Time\r\nBEGIN:STANDARD\r\nDTSTART:20000101T000000\r\nTZOFFSETFROM:+0500\r\nTZOFFSETTO:+0500\r\nEND:STANDARD\r\nEND:VTIMEZONE"
	got, _ := starts(t, in2026(t, "UTC"), event("DTSTART;TZID=Pacific Standard Time:20260901T100000"), own)
	require.Equal(t, []string{"2026-09-01T05:00Z"}, got, "also behind the event")
	empty := "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nX-LIC-LOCATION:Asia/Tokyo\r\nEND:VTIMEZONE"
	got, _ = starts(t, in2026(t, "UTC"), empty, event("DTSTART;TZID=Mine:20260901T100000"))
	require.Equal(t, []string{"2026-09-01T01:00Z"}, got)
}

func TestRulesOfZonesCountFromTheEndOfAMonth(t *testing.T) {
	own := func(day string) string {
		return "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nBEGIN:STANDARD\r\nDTSTART:16010101T000000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYMONTH=1;BYDAY=1SU\r\nEND:STANDARD\r\n" +
			"BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;BYMONTH=5;" + day + "\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE"
	}
	for rule, last := range map[string]string{"BYDAY=-1SU": "20260530", "BYDAY=-2SU": "20260523", "BYDAY=SU;BYMONTHDAY=10,11,12,13,14,15,16": "20260509"} {
		got, _ := starts(t, in2026(t, "UTC"), own(rule), event("DTSTART;TZID=Mine:"+last+"T120000", "RRULE:FREQ=DAILY;COUNT=2"))
		require.Len(t, got, 2)
		require.Equal(t, []string{"11:00Z", "10:00Z"}, []string{got[0][11:], got[1][11:]}, rule)
	}
}

func TestOccurrencesDoNotDependOnTheWindow(t *testing.T) {
	all := in2026(t, "UTC")
	all.From = all.From.AddDate(-20, 0, 0)
	for _, rule := range []string{
		"FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU", "FREQ=WEEKLY;COUNT=400",
		"FREQ=DAILY;BYMONTH=1,7;BYDAY=MO", "FREQ=MONTHLY;BYDAY=2TU;INTERVAL=5", "FREQ=YEARLY;INTERVAL=7;BYMONTH=2;BYMONTHDAY=-1", "FREQ=HOURLY;INTERVAL=500",
	} {
		line := event("UID:1", "DTSTART:20190704T101500Z", "RRULE:"+rule)
		long, _ := starts(t, all, line)
		short, _ := starts(t, in2026(t, "UTC"), line)
		long = slices.DeleteFunc(long, func(s string) bool { return s < "2026" })
		require.Equal(t, long, short, rule)
	}
}

func TestARecurrenceIDMayBeADate(t *testing.T) {
	got, notes := starts(t, in2026(t, "UTC"), event("UID:1", "DTSTART:20260901T100000Z", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:"),
		event("UID:1", "RECURRENCE-ID;VALUE=DATE:20260902", "DTSTART:20260902T150000Z"))
	require.Equal(t, []string{"2026-09-01T10:00Z", "2026-09-02T15:00Z", "2026-09-03T10:00Z"}, got)
	require.Empty(t, notes)
}

func TestCancelledEventsAreLeftOut(t *testing.T) {
	o := in2026(t, "UTC")
	daily := []string{"UID:1", "DTSTART:20260901T100000Z", "RRULE:FREQ=DAILY;COUNT=4"}
	got, _ := starts(t, o, event(daily...), event("UID:1", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260903T100000Z", "DTSTART:20260903T100000Z", "STATUS:CANCELLED"))
	require.Equal(t, []string{"2026-09-01T10:00Z", "2026-09-02T10:00Z"}, got, "this and the future ones")
	got, _ = starts(t, o, event(daily...), event("UID:1", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260903T100000Z", "STATUS:CANCELLED"))
	require.Equal(t, []string{"2026-09-01T10:00Z", "2026-09-02T10:00Z"}, got, "without DTSTART")
	got, notes := starts(t, o, event(daily...), event(append(daily, "STATUS:CANCELLED")...))
	require.Empty(t, got, "the same SEQUENCE")
	require.Empty(t, notes)
	got, _ = starts(t, o, event(append(daily, "SEQUENCE:2")...), event(append(daily, "STATUS:CANCELLED")...))
	require.Len(t, got, 4, "an older state was cancelled")
	got, _ = starts(t, o, event(daily...), "END:VCALENDAR", "BEGIN:VCALENDAR", "METHOD:CANCEL", event("UID:1", "SEQUENCE:1", "DTSTART:20260901T100000Z"))
	require.Empty(t, got, "by a message in the same file")
	o.Expand = false
	got, _ = starts(t, o, event(append(daily, "STATUS:canceled")...), event("UID:2", "DTSTART:20260901T110000Z"))
	require.Equal(t, []string{"2026-09-01T11:00Z"}, got)
}

func TestDaysWithoutMidnightAreDays(t *testing.T) {
	o := in2026(t, "America/Santiago")
	got, _ := starts(t, o, event("DTSTART;VALUE=DATE:20260904", "DTEND;VALUE=DATE:20260905", "RRULE:FREQ=DAILY;COUNT=4"))
	require.Equal(t, []string{"2026-09-04", "2026-09-05", "2026-09-06", "2026-09-07"}, got)
	o.From, o.Until = time.Date(2026, 9, 6, 12, 0, 0, 0, time.UTC), time.Date(2026, 9, 7, 0, 0, 0, 0, o.Zone)
	got, _ = starts(t, o, event("DTSTART;VALUE=DATE:20260904", "RRULE:FREQ=DAILY;COUNT=4"))
	require.Equal(t, []string{"2026-09-06"}, got, "the window is in the zone of the results")
}

func TestLongNamesOfZonesCostLittle(t *testing.T) {
	begin := time.Now()
	got, notes := starts(t, in2026(t, "UTC"), event("UID:1", "DTSTART;TZID=(UTC+01:00)"+strings.Repeat(" a,/", 1_000_000)+":20260901T100000"))
	require.Equal(t, []string{"2026-09-01T10:00Z"}, got)
	require.Len(t, notes, 1)
	require.Less(t, time.Since(begin), 10*time.Second)
}

func TestLimitsHold(t *testing.T) {
	o := in2026(t, "UTC")
	for message, text := range map[string]string{
		"line 17: parts of the calendar nest deeper than 16": strings.Repeat("BEGIN:X\r\n", 100_000),
		"there are more than 10000 events":                   "BEGIN:VCALENDAR\n" + strings.Repeat("BEGIN:VEVENT\nDTSTART:20260101\nRRULE:FREQ=DAILY\nEND:VEVENT\n", 100),
		"more than 10000 cancelled events": strings.Repeat("BEGIN:VCALENDAR\n"+event("UID:1", "DTSTART:20260101")+"\nEND:VCALENDAR\n", 200) +
			"BEGIN:VCALENDAR\nMETHOD:CANCEL\n" + strings.Repeat(event("UID:1")+"\n", 200),
		"at most 16777216 can be read": strings.Repeat(" ", 17<<20),
	} {
		_, err := calendar.Read(t.Context(), text, o, nil)
		require.ErrorContains(t, err, message)
	}
}
