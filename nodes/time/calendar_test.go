package time_test

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	timenode "github.com/svcflow/svc/nodes/time"
)

func TestParse(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for _, tt := range []struct {
		text   string
		config record
		want   string
	}{
		{"2026-01-31T18:05:09Z", nil, "2026-01-31T18:05:09.000Z"},
		{"2026-01-31 18:05", record{"timezone": "Europe/Berlin"}, "2026-01-31T18:05:00.000+01:00"},
		{"Sat, 31 Jan 2026 19:05:09 +0100", nil, "2026-01-31T18:05:09.000Z"},
		{"1769882709", nil, "2026-01-31T18:05:09.000Z"},
		{"31.01.2026 18:05", record{"layout": "DD.MM.YYYY HH:mm", "timezone": "Europe/Berlin"}, "2026-01-31T18:05:00.000+01:00"},
		{"31.1.26", record{"layout": "D.M.YY"}, "2026-01-31T00:00:00.000Z"},
		{"1.12.99", record{"layout": "D.M.YY"}, "1999-12-01T00:00:00.000Z"},
		{"5/7/2026 3:04 PM", record{"layout": "M/D/YYYY h:mm A"}, "2026-05-07T15:04:00.000Z"},
		{"12:30 am", record{"layout": "h:mm a"}, "1970-01-01T00:30:00.000Z"},
		{"samstag, 3. märz 2026", record{"layout": "dddd, D. MMMM YYYY", "language": "de"}, "2026-03-03T00:00:00.000Z"},
		{"31 janv 2026", record{"layout": "D MMM YYYY", "language": "fr"}, "2026-01-31T00:00:00.000Z"},
		{"on Jan 2 2026 at 9.5", record{"layout": "[on] MMM D YYYY [at] H.m"}, "2026-01-02T09:05:00.000Z"},
		{"2026-01-31T20:05:09.250+02:00", record{"layout": "YYYY-MM-DDTHH:mm:ss.SSSZ"}, "2026-01-31T18:05:09.250Z"},
		{"20260131 180509 -0330", record{"layout": "YYYYMMDD HHmmss ZZ"}, "2026-01-31T21:35:09.000Z"},
		{"t=1769882709250", record{"layout": "[t=]x"}, "2026-01-31T18:05:09.250Z"},
		{"-86400", record{"layout": "X"}, "1969-12-31T00:00:00.000Z"},
		{"2026-07-01", record{"layout": "YYYY-MM-DD", "timezone": "America/New_York"}, "2026-07-01T00:00:00.000-04:00"},
	} {
		out, err := h.Exec("time.parse", tt.config, record{"text": tt.text})
		require.NoError(t, err, tt.text)
		require.Equal(t, tt.want, out["iso"], tt.text)
	}
	for text, tt := range map[string]struct{ layout, message string }{
		"31.02.2026":      {"DD.MM.YYYY", "no day 31 of month 2 in 2026"},
		"31.13.2026":      {"DD.MM.YYYY", "no day 31 of month 13"},
		"1.1.2026":        {"DD.MM.YYYY", "DD was expected at character 1"},
		"01.01.2026 ":     {"DD.MM.YYYY HH", "  was expected at character 11"},
		"01.01.2026 x":    {"DD.MM.YYYY", `" x" stands behind its end`},
		"25:00":           {"HH:mm", "there is no 25:00:00"},
		"13:00 pm":        {"hh:mm a", "the hour is 13 of 12"},
		"3. Foo 2026":     {"D. MMMM YYYY", "MMMM was expected at character 4"},
		"yesterday":       {"auto", "is no time that is understood"},
		"999999999999999": {"auto", "too much for a time"},
	} {
		_, err := h.Exec("time.parse", record{"layout": tt.layout}, record{"text": text})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), text)
		require.ErrorContains(t, err, tt.message)
	}
	problems := h.Problems("time.parse", record{"text": "x", "layout": "GGGG WW"})
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Message, "GGGG can be written and not read")
}

func TestAdd(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for _, tt := range []struct{ at, by, zone, want string }{
		{"2026-01-31T18:05:09Z", "1d12h", "UTC", "2026-02-02T06:05:09.000Z"},
		{"2026-01-31", "1mo", "UTC", "2026-02-28T00:00:00.000Z"},
		{"2024-02-29", "1y", "UTC", "2025-02-28T00:00:00.000Z"},
		{"2026-03-31", "-P1M", "UTC", "2026-02-28T00:00:00.000Z"},
		{"2026-01-31", "P1Y2M3W4DT5H6M7.5S", "UTC", "2027-04-25T05:06:07.500Z"},
		{"2026-01-31", "-2w", "UTC", "2026-01-17T00:00:00.000Z"},
		{"2026-01-31", "1h 30m 250ms", "UTC", "2026-01-31T01:30:00.250Z"},
		{"2026-01-31", "1.5h", "UTC", "2026-01-31T01:30:00.000Z"},
		{"2026-03-28T12:00", "1d", "Europe/Berlin", "2026-03-29T12:00:00.000+02:00"},
		{"2026-03-28T12:00", "24h", "Europe/Berlin", "2026-03-29T13:00:00.000+02:00"},
		{"2026-01-31", "0d", "UTC", "2026-01-31T00:00:00.000Z"},
	} {
		out, err := h.Exec("time.add", record{"by": tt.by, "timezone": tt.zone}, record{"time": tt.at})
		require.NoError(t, err, "%v", tt)
		require.Equal(t, tt.want, out["iso"], "%v", tt)
	}
	for _, by := range []string{"", "P", "PT", "P1DT", "1", "d", "1d1y", "1.5d", "P0.5M", "1h-2m", "-", "99999999999y", "1y99999999999h", "tomorrow", "9000y"} {
		_, err := h.Exec("time.add", nil, record{"time": "2026-01-31", "by": by})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), by)
		require.True(t, node.IsPermanent(err))
	}
	require.Contains(t, h.Problems("time.add", record{"by": "a week", "time": "2026-01-31"})[0].Message, "is no span of time")
}

func TestDiff(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for _, tt := range []struct {
		from, to, unit, zone string
		value                float64
		text                 string
	}{
		{"2026-01-31", "2026-03-02", "d", "UTC", 30, "1mo2d"},
		{"2026-03-02", "2026-01-31", "d", "UTC", -30, "-1mo2d"},
		{"2026-01-01", "2026-01-15T12:00", "week", "UTC", 14.5 / 7, "14d12h"},
		{"2026-03-28T12:00", "2026-03-29T12:00", "d", "Europe/Berlin", 1, "1d"},
		{"2026-03-28T12:00", "2026-03-29T12:00", "h", "Europe/Berlin", 23, "1d"},
		{"2026-01-01", "2026-02-15", "month", "UTC", 1.5, "1mo14d"},
		{"2000-02-29", "2026-02-28", "year", "UTC", 26, "26y"},
		{"2026-01-01T00:00:00.250Z", "2026-01-01T00:01:30Z", "s", "UTC", 89.75, "1m29s750ms"},
		{"2026-01-01T00:00:00.250Z", "2026-01-01T00:01:30Z", "ms", "UTC", 89750, "1m29s750ms"},
		{"2026-01-01", "2026-01-01", "year", "UTC", 0, "0s"},
		{"0001-01-01", "9999-12-31", "d", "UTC", 3652058, "9998y11mo30d"},
	} {
		out, err := h.Exec("time.diff", record{"unit": tt.unit, "timezone": tt.zone}, record{"from": tt.from, "to": tt.to})
		require.NoError(t, err, "%v", tt)
		require.InDelta(t, tt.value, out["value"], 1e-9, "%v", tt)
		require.Equal(t, tt.text, out["text"], "%v", tt)
	}
}

// TestDiffIsWhatAddAdds checks that adding the result of time.diff gives the second time,
// in a zone with clock changes.
func TestDiffIsWhatAddAdds(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	const layout = "2006-01-02T15:04:05.000Z"
	start := time.Date(2026, 3, 1, 1, 30, 0, 0, time.UTC)
	for i := range 400 {
		from := start.Add(time.Duration(i*i) * 37 * time.Minute)
		to := from.Add(time.Duration(i*7919%900) * 97 * time.Minute * time.Duration(1+i%9))
		zone := record{"timezone": "Europe/Berlin"}
		diff, err := h.Exec("time.diff", zone, record{"from": from.Format(layout), "to": to.Format(layout)})
		require.NoError(t, err)
		sum, err := h.Exec("time.add", zone, record{"time": from.Format(layout), "by": diff["text"]})
		require.NoError(t, err)
		require.EqualValues(t, to.UnixMilli(), sum["unixMs"], "%s + %s", from, diff["text"])
	}
}

func TestRound(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	const at = "2026-08-05T18:05:09.25Z" // a Wednesday
	for _, tt := range []struct{ at, to, zone, start, end string }{
		{at, "minute", "UTC", "2026-08-05T18:05:00.000Z", "2026-08-05T18:05:59.999Z"},
		{at, "hour", "Asia/Kolkata", "2026-08-05T23:00:00.000+05:30", "2026-08-05T23:59:59.999+05:30"},
		{at, "day", "UTC", "2026-08-05T00:00:00.000Z", "2026-08-05T23:59:59.999Z"},
		{at, "day", "Pacific/Auckland", "2026-08-06T00:00:00.000+12:00", "2026-08-06T23:59:59.999+12:00"},
		{at, "week", "UTC", "2026-08-03T00:00:00.000Z", "2026-08-09T23:59:59.999Z"},
		{at, "month", "UTC", "2026-08-01T00:00:00.000Z", "2026-08-31T23:59:59.999Z"},
		{"2026-12-31", "month", "UTC", "2026-12-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"},
		{at, "year", "Europe/Berlin", "2026-01-01T00:00:00.000+01:00", "2026-12-31T23:59:59.999+01:00"},
		{"2026-03-29T12:00:00Z", "day", "Europe/Berlin", "2026-03-29T00:00:00.000+01:00", "2026-03-29T23:59:59.999+02:00"},
		// A day on which Cairo has no midnight, and one on which Havana has two.
		{"2024-04-26T12:00:00Z", "day", "Africa/Cairo", "2024-04-26T01:00:00.000+03:00", "2024-04-26T23:59:59.999+03:00"},
		{"2024-11-03T12:00:00Z", "day", "America/Havana", "2024-11-03T00:00:00.000-04:00", "2024-11-03T23:59:59.999-05:00"},
	} {
		for mode, want := range map[string]string{"start": tt.start, "end": tt.end} {
			out, err := h.Exec("time.round", record{"to": tt.to, "timezone": tt.zone, "mode": mode}, record{"time": tt.at})
			require.NoError(t, err, "%v", tt)
			require.Equal(t, want, out["iso"], "%v %s", tt, mode)
		}
	}
	for _, typ := range []string{"time.round", "time.add"} {
		_, err := h.Exec(typ, nil, record{"time": "soon", "by": "1d"})
		require.Error(t, err)
		require.Contains(t, fmt.Sprint(err), map[string]string{"time.round": "by", "time.add": "no time that is understood"}[typ])
	}
}

func FuzzParse(f *testing.F) {
	f.Add("31.01.2026", "DD.MM.YYYY", "de")
	f.Add("x", "[x", "")
	for _, text := range []string{"2026-W05-6T24:00+00", "Mon, 2 Feb 2026 10:00:00 -0500 (E(S)T)", "20260131180509", "31 Dec 99 23:59:60 Z", "-1e10"} {
		f.Add(text, "auto", "en")
	}
	f.Add("Jan 2 3:04 PM", "MMM D h:mm A", "en")
	f.Fuzz(func(t *testing.T, text, layout, language string) {
		if !utf8.ValidString(text + layout + language) {
			return // not a valid text in a workflow
		}
		h := nodetest.New(t, timenode.Plugin())
		config := record{"layout": layout, "language": language}
		if layout == "auto" {
			config = nil // is for reading only
		}
		out, err := h.Exec("time.parse", nil, record{"text": text, "layout": layout, "language": language})
		if err != nil {
			return
		}
		require.IsType(t, 0, out["unixMs"])
		_, err = h.Exec("time.format", config, record{"time": out["iso"]})
		require.NoError(t, err)
	})
}
