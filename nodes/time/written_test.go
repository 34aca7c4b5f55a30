package time_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	timenode "github.com/svcflow/svc/nodes/time"
)

// parsed returns the iso that time.parse gives for text.
func parsed(t *testing.T, h *nodetest.Host, text string, config record) string {
	t.Helper()
	out, err := h.Exec("time.parse", config, record{"text": text})
	require.NoError(t, err, text)
	return out["iso"].(string)
}

// TestDatesOfMail has the results of email.utils of Python 3.11, except for years of three
// digits, GMT+0100 and CEST, which it does not read.
func TestDatesOfMail(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for text, want := range map[string]string{
		"Mon, 02 Feb 2026 10:00:00 EST":              "2026-02-02T15:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 EDT":              "2026-02-02T14:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 CST":              "2026-02-02T16:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 CDT":              "2026-02-02T15:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 MST":              "2026-02-02T17:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 MDT":              "2026-02-02T16:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 PST":              "2026-02-02T18:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 PDT":              "2026-02-02T17:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 UT":               "2026-02-02T10:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 GMT":              "2026-02-02T10:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 Z":                "2026-02-02T10:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 A":                "2026-02-02T10:00:00.000Z",
		"Mon, 02 Feb 2026 10:00:00 -0000":            "2026-02-02T10:00:00.000Z",
		"Mon, 2 Feb 2026 10:00:00 -0500 (EST)":       "2026-02-02T15:00:00.000Z",
		"Mon, 2 Feb 2026 10:00:00 (x (y\\)) ) +0000": "2026-02-02T10:00:00.000Z",
		"2 Feb 26 10:00 +0100":                       "2026-02-02T09:00:00.000Z",
		"2 Feb 99 10:00 +0100":                       "1999-02-02T09:00:00.000Z",
		"2 Feb 126 10:00 +0100":                      "2026-02-02T09:00:00.000Z",
		"Mon,2 feb 2026 10:00:00   est":              "2026-02-02T15:00:00.000Z",
		"Mon, 2 Feb 2026\r\n 10:00:00 +0530":         "2026-02-02T04:30:00.000Z",
		"Monday, 02-Feb-26 10:00:00 GMT":             "2026-02-02T10:00:00.000Z",
		"Mon Feb  2 10:00:00 2026":                   "2026-02-02T10:00:00.000Z",
		"Mon Feb  2 10:00:00 EST 2026":               "2026-02-02T15:00:00.000Z",
		"Mon Feb 02 2026 10:00:00 GMT+0100 (CET)":    "2026-02-02T09:00:00.000Z",
		"Wed, 31 Dec 2025 23:59:60 +0000":            "2026-01-01T00:00:00.000Z",
		"2 Feb 2026 10:00:00 CEST":                   "2026-02-02T08:00:00.000Z",
	} {
		require.Equal(t, want, parsed(t, h, text, nil), text)
	}
	require.Equal(t, "2026-02-02T10:00:00.000+01:00", parsed(t, h, "2 Feb 2026 10:00", record{"timezone": "Europe/Berlin"}), "names no zone")
	for text, message := range map[string]string{
		"Mon, 2 Feb 2026 10:00:00 IST":      "the time zone IST is not the same everywhere",
		"Mon, 2 Feb 2026 10:00:00 BST":      "the time zone BST is not the same everywhere",
		"Mon, 2 Feb 2026 10:00:00 (open":    "no time that is understood",
		"Mon, 30 Feb 2026 10:00:00 +0000":   "no time that is understood",
		"Mon, 2 Feb 2026 24:30:00 +0000":    "there is no 24:30:00",
		"Mon, 2 Feb 2026 10:00:00 AM":       "no time that is understood",
		"Mon, 2 Feb 2026 10:00:60 +0000":    "leap seconds are at the end of a month",
		"Mon, 2 Feb 2026 10:00:00 EST PST":  "no time that is understood",
		"Mon, 2 Feb 2026 2027 10:00:00 EST": "no time that is understood",
	} {
		_, err := h.Exec("time.parse", nil, record{"text": text})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), text)
		require.ErrorContains(t, err, message, text)
	}
}

func TestFormsOfISO8601(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for text, want := range map[string]string{
		"2026-01-31T18:05:09+00":             "2026-01-31T18:05:09.000Z",
		"2026-01-31 18:05:09+00":             "2026-01-31T18:05:09.000Z", // as PostgreSQL writes it
		"2026-01-31 18:05:09.123456+00":      "2026-01-31T18:05:09.123Z",
		"2026-01-31 18:05:09 -05":            "2026-01-31T23:05:09.000Z",
		"2026-01-31T18:05:09+0000":           "2026-01-31T18:05:09.000Z",
		"2026-01-31T18:05:09,5-03:30":        "2026-01-31T21:35:09.500Z",
		"2026-01-31t18:05:09z":               "2026-01-31T18:05:09.000Z",
		"2026-01-31T18:05:09\u221205:00":     "2026-01-31T23:05:09.000Z",
		"2026-01-31T18:05:09.1234567891234Z": "2026-01-31T18:05:09.123Z",
		"2026-01-31T18":                      "2026-01-31T18:00:00.000Z",
		"2026-01-31T24:00:00":                "2026-02-01T00:00:00.000Z",
		"2026-01-31T24:00":                   "2026-02-01T00:00:00.000Z",
		"2016-12-31T23:59:60Z":               "2017-01-01T00:00:00.000Z",
		"2016-12-31T18:59:60-05:00":          "2017-01-01T00:00:00.000Z",
		"2026-W05-6":                         "2026-01-31T00:00:00.000Z",
		"2026W056":                           "2026-01-31T00:00:00.000Z",
		"2026-W05":                           "2026-01-26T00:00:00.000Z",
		"2026-W53-7T12:00Z":                  "2027-01-03T12:00:00.000Z",
		"2026-031":                           "2026-01-31T00:00:00.000Z",
		"2026031":                            "2026-01-31T00:00:00.000Z",
		"2024-366":                           "2024-12-31T00:00:00.000Z",
		"20260131":                           "2026-01-31T00:00:00.000Z",
		"20260131T180509Z":                   "2026-01-31T18:05:09.000Z",
		"20260131T180509.25+0100":            "2026-01-31T17:05:09.250Z",
		"20260131T1805":                      "2026-01-31T18:05:00.000Z",
		"20260131 180509":                    "2026-01-31T18:05:09.000Z",
		"20260131180509":                     "2026-01-31T18:05:09.000Z", // not a day in the year 2612
		"20260131180509250":                  "2026-01-31T18:05:09.250Z",
		"1769882709":                         "2026-01-31T18:05:09.000Z",
		"1769882709.25":                      "2026-01-31T18:05:09.250Z",
		"1769882709250":                      "2026-01-31T18:05:09.250Z",
		"-1769882709":                        "1913-12-01T05:54:51.000Z",
		"1234567890":                         "2009-02-13T23:31:30.000Z",
		"123456789012":                       "1973-11-29T21:33:09.012Z",
	} {
		require.Equal(t, want, parsed(t, h, text, nil), text)
	}
	for text, message := range map[string]string{
		"2026-01-31T24:00:01":       "there is no 24:00:01",
		"2026-01-31T18:60":          "there is no 18:60:00",
		"2026-06-15T23:59:60Z":      "leap seconds are at the end of a month",
		"2026-01-31T18:05:09+24:00": "no time that is understood",
		"2026-0131":                 "no time that is understood",
		"202601-31":                 "no time that is understood",
		"2026-W54-1":                "no time that is understood",
		"2025-366":                  "no time that is understood",
		"2026-02-29":                "no time that is understood",
		"20260229":                  "no time that is understood",
		"26-01-31":                  "no time that is understood",
		"12345":                     "no time that is understood",
		"202601311805":              "may be a date or Unix time",
		"202613311805":              "may be a date or Unix time",
		"20261331180509":            "may be a date or Unix time",
		"20260131180":               "may be a date or Unix time",
		"99999999999999999":         "too much for a time",
	} {
		_, err := h.Exec("time.parse", nil, record{"text": text})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), text)
		require.ErrorContains(t, err, message, text)
	}
}

func TestNumbersThatAreDatesAreRefused(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for _, n := range []any{20260131, 20260131180, 202601311805, 20261331180509, 20260131180509, 20260131180509250, 20260131.0} {
		_, err := h.Exec("time.format", nil, record{"time": n})
		require.ErrorContains(t, err, "may be a date or Unix time", "%v", n)
	}
	for n, want := range map[int]string{0: "1970-01-01 00:00:00", 86400: "1970-01-02 00:00:00", 1769882709: "2026-01-31 18:05:09", 2026013118: "2034-03-15 05:25:18"} {
		out, err := h.Exec("time.format", nil, record{"time": n})
		require.NoError(t, err)
		require.Equal(t, want, out["text"])
	}
}

func TestTimesThatClocksSkipOrRepeat(t *testing.T) {
	h := nodetest.New(t, timenode.Plugin())
	for _, tt := range []struct{ text, zone, want string }{
		{"2026-09-06", "America/Santiago", "2026-09-06T01:00:00.000-03:00"},
		{"2026-03-29", "Asia/Beirut", "2026-03-29T01:00:00.000+03:00"},
		{"2026-03-29T02:30", "Europe/Berlin", "2026-03-29T03:30:00.000+02:00"},
		{"2026-10-25T02:30", "Europe/Berlin", "2026-10-25T02:30:00.000+02:00"},
		{"2026-03-08 02:30", "America/New_York", "2026-03-08T03:30:00.000-04:00"},
		{"2026-11-01 01:30", "America/New_York", "2026-11-01T01:30:00.000-04:00"},
	} {
		require.Equal(t, tt.want, parsed(t, h, tt.text, record{"timezone": tt.zone}), tt.text)
	}
	require.Equal(t, "2026-09-06T01:00:00.000-03:00", parsed(t, h, "06.09.2026", record{"timezone": "America/Santiago", "layout": "DD.MM.YYYY"}), "with a layout, too")
	require.Equal(t, "2026-01-31T23:05:00.000Z", parsed(t, h, "31.01.2026 18:05 EST", record{"layout": "DD.MM.YYYY HH:mm Z"}))
	_, err := h.Exec("time.parse", record{"layout": "DD.MM.YYYY HH:mm Z"}, record{"text": "31.01.2026 18:05 IST"})
	require.ErrorContains(t, err, "Z was expected at character 18")
	require.Equal(t, "2026-02-01T00:00:00.000Z", parsed(t, h, "31.01.2026 24:00", record{"layout": "DD.MM.YYYY HH:mm"}))
	out, err := h.Exec("time.add", record{"by": "1d", "timezone": "America/Santiago"}, record{"time": "2026-09-05"})
	require.NoError(t, err)
	require.Equal(t, "2026-09-06T01:00:00.000-03:00", out["iso"], "the day after")
}
