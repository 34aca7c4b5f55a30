package time_test

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	timenode "github.com/svcflow/svc/nodes/time"
)

type record = map[string]any

func TestSpecs(t *testing.T) { nodetest.Check(t, timenode.Plugin()) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, timenode.Plugin(), map[string][]map[string]any{
		"time.format": {nil, {"layout": "dddd D MMMM YYYY GGGG WW"}, {"timezone": "Asia/Kolkata", "language": "de"}},
		"time.parse":  {nil, {"text": "2026-01-31"}, {"text": "31. März 26", "layout": "D. MMMM YY", "language": "de"}},
		"time.add":    {{"time": "2026-01-31"}, {"by": "-1y2mo3d", "time": 1769882709}, {"by": "PT36H"}},
		"time.diff":   {{"from": "2026-01-31"}, {"from": "2026-01-31", "to": "1970-01-01", "unit": "month"}},
		"time.round":  {{"time": "2026-01-31", "mode": "end"}, nil},
	})
}

func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock of synctest begins at 2000-01-01 00:00 UTC, a Saturday
		h := nodetest.New(t, timenode.Plugin())
		<-time.After(18*time.Hour + 5*time.Minute + 9*time.Second + 250*time.Millisecond)
		out, err := h.Exec("time.now", nil, nil)
		require.NoError(t, err)
		require.Equal(t, record{
			"iso": "2000-01-01T18:05:09.250Z", "date": "2000-01-01", "unix": 946749909, "unixMs": 946749909250,
			"year": 2000, "month": 1, "day": 1, "hour": 18, "minute": 5, "second": 9, "weekday": 6, "week": 52,
		}, out)
		out, err = h.Exec("time.now", record{"timezone": "Pacific/Auckland"}, nil)
		require.NoError(t, err)
		require.Equal(t, "2000-01-02T07:05:09.250+13:00", out["iso"])
		require.Equal(t, 7, out["weekday"])
		require.Equal(t, 946749909, out["unix"])
		out, err = h.Exec("time.now", nil, record{"timezone": "-03:30"})
		require.NoError(t, err)
		require.Equal(t, "2000-01-01T14:35:09.250-03:30", out["iso"])
	})
}

func TestFormat(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	const at = "2026-01-31T18:05:09.25Z"
	for _, tt := range []struct {
		time   any
		config record
		want   string
	}{
		{at, nil, "2026-01-31 18:05:09"},
		{at, record{"timezone": "Europe/Berlin"}, "2026-01-31 19:05:09"},
		{"2026-07-31T23:30:00Z", record{"timezone": "Europe/Berlin"}, "2026-08-01 01:30:00"},
		{at, record{"layout": "D. MMMM YYYY, HH:mm [Uhr]", "language": "de"}, "31. Januar 2026, 18:05 Uhr"},
		{at, record{"layout": "dddd ddd E DDDD Q GGGG WW W", "language": "de-AT"}, "Samstag Sa. 6 031 1 2026 05 5"},
		{"2027-01-01", record{"layout": "YYYY GGGG-[W]WW"}, "2027 2026-W53"},
		{at, record{"layout": "MMM MM M D/DD YY hh h A a H"}, "Jan 01 1 31/31 26 06 6 PM pm 18"},
		{"2026-01-31 00:07", record{"layout": "h:mm a"}, "12:07 am"},
		{at, record{"layout": "YYYY-MM-DDTHH:mm:ss.SSSZ", "timezone": "+02:00"}, "2026-01-31T20:05:09.250+02:00"},
		{at, record{"layout": "ZZ X x m s", "timezone": "America/New_York"}, "-0500 1769882709 1769882709250 5 9"},
		{at, record{"layout": "[no [word] «→»"}, "no [word «→»"},
		{at, record{"layout": ""}, ""},
		{"2026-03-01", record{"layout": "MMMM", "language": "de"}, "März"},
		{"2026-08-01", record{"layout": "dddd D MMMM", "language": "fr"}, "samedi 1 août"},
		{"2026-08-05", record{"layout": "dddd D MMMM", "language": "es"}, "miércoles 5 agosto"},
		{1769882709, nil, "2026-01-31 18:05:09"},
		{1769882709250, record{"layout": "ss.SSS"}, "09.250"},
		{1769882709.25, record{"layout": "ss.SSS"}, "09.250"},
		{"1769882709", nil, "2026-01-31 18:05:09"},
		{-1, nil, "1969-12-31 23:59:59"},
		{"Sat, 31 Jan 2026 19:05:09 +0100", nil, "2026-01-31 18:05:09"},
		{"2026-01-31T19:05", record{"timezone": "Europe/Berlin", "layout": "HH:mm Z"}, "19:05 +01:00"},
		{" 2026-01-31 ", nil, "2026-01-31 00:00:00"},
	} {
		out, err := h.Exec("time.format", tt.config, record{"time": tt.time})
		require.NoError(t, err, "%v %v", tt.time, tt.config)
		require.Equal(t, tt.want, out["text"], "%v %v", tt.time, tt.config)
	}
}

func TestFormatRefuses(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for _, tt := range []struct {
		time    any
		config  record
		port    string
		message string
	}{
		{"2026-01-31", record{"layout": "yyyy-MM-dd"}, "layout", "character 1: yyyy is no word"},
		{"2026-01-31", record{"layout": "DD at HH"}, "layout", "character 5: t is no word"},
		{"2026-01-31", record{"layout": "DD [at"}, "layout", "character 4: a [ without"},
		{"2026-01-31", record{"layout": "%Y-%m-%d"}, "layout", "character 2: Y is no word"},
		{"2026-01-31", record{"timezone": "Europe/Nowhere"}, "timezone", "there is no time zone"},
		{"2026-01-31", record{"timezone": "Local"}, "timezone", "there is no time zone"},
		{"2026-01-31", record{"timezone": "../../etc/passwd"}, "timezone", "there is no time zone"},
		{"2026-01-31", record{"timezone": ""}, "timezone", "there is no time zone"},
		{"2026-01-31", record{"language": "tlh"}, "language", "the languages are de, en, es, fr"},
	} {
		problems := h.Problems("time.format", tt.config, "time")
		require.Len(t, problems, 1, "%v", tt.config)
		require.Equal(t, tt.port, problems[0].Port)
		require.Contains(t, problems[0].Message, tt.message)
		// Wired values are refused when the node runs.
		wired := record{"time": tt.time}
		maps.Copy(wired, tt.config)
		_, err := h.Exec("time.format", nil, wired)
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
		require.True(t, node.IsPermanent(err))
		require.ErrorContains(t, err, tt.message)
	}
	for _, v := range []any{"", "yesterday", "31.01.2026", nil, true, []any{}, 1e300, "2026", "2026-13-01", "0x1p40", "infinity"} {
		_, err := h.Exec("time.format", nil, record{"time": v})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), "%v", v)
	}
}

func FuzzFormat(f *testing.F) {
	f.Add("2026-01-31", "YYYY [x] MMMM", "UTC", "de")
	f.Add("1769882709", "[", "+02:00", "")
	f.Fuzz(func(t *testing.T, at, layout, zone, language string) {
		if !utf8.ValidString(at + layout + zone + language) {
			return // not a valid text in a workflow
		}
		out, err := nodetest.New(t, timenode.Plugin()).Exec("time.format", nil, record{"time": at, "layout": layout, "timezone": zone, "language": language})
		if err == nil {
			require.IsType(t, "", out["text"])
		}
	})
}
