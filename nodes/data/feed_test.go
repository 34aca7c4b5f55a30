package data_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/nodetest"
)

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title> News </title>
<item><guid>1</guid><title>Tea &amp; milk</title><link>https://example.com/1</link><pubDate>Sat, 31 Jan 2026 19:05:09 +0100</pubDate><description>&lt;p&gt;Hello&lt;/p&gt;</description><author>ada@example.com (Ada)</author></item>
<item><link>https://example.com/2</link></item></channel></rss>`

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><entry><id>urn:1</id><title>One</title><link href="https://example.com/1"/>
<updated>2026-01-31T18:05:09Z</updated><author><name>Ada</name></author><content type="html">&lt;b&gt;x&lt;/b&gt;</content></entry></feed>`

const jsonFeed = `{"version":"https://jsonfeed.org/version/1.1","title":"JSON","items":[{"id":"a","url":"https://example.com/a","title":"A","content_html":"<p>x</p>","date_published":"2026-01-31T18:05:09Z"}]}`

func TestFeedParse(t *testing.T) {
	h, _ := host(t)
	for text, want := range map[string]record{
		rss: {"title": "News", "count": 2, "items": []any{
			record{"id": "1", "title": "Tea & milk", "url": "https://example.com/1", "published": "2026-01-31T18:05:09Z", "author": "Ada", "summary": "<p>Hello</p>", "content": "", "enclosures": []any{}},
			record{"id": "https://example.com/2", "title": "", "url": "https://example.com/2", "published": "", "author": "", "summary": "", "content": "", "enclosures": []any{}},
		}},
		atom: {"title": "Blog", "count": 1, "items": []any{
			record{"id": "urn:1", "title": "One", "url": "https://example.com/1", "published": "2026-01-31T18:05:09Z", "author": "Ada", "summary": "", "content": "<b>x</b>", "enclosures": []any{}},
		}},
		jsonFeed: {"title": "JSON", "count": 1, "items": []any{
			record{"id": "a", "title": "A", "url": "https://example.com/a", "published": "2026-01-31T18:05:09Z", "author": "", "summary": "", "content": "<p>x</p>", "enclosures": []any{}},
		}},
	} {
		out, err := h.Exec("data.feed_parse", nil, record{"text": text})
		require.NoError(t, err)
		require.Empty(t, out["warnings"])
		delete(out, "warnings")
		require.Equal(t, want, out)
	}
	for text, message := range map[string]string{
		"":        "the feed cannot be read",
		"<html>":  "the feed cannot be read",
		`{"a":1}`: "the feed cannot be read",
		`{"a":`:   "the feed cannot be read",
		"<rss>" + strings.Repeat("<a:b>", 100_000):                                       "line 1: elements nest deeper than 1000",
		`{"items":` + strings.Repeat("[", 100_000):                                       "the feed cannot be read",
		`<!DOCTYPE x [<!ENTITY a "b">]><rss><channel><title>&a;</title></channel></rss>`: "",
	} {
		out, err := h.Exec("data.feed_parse", nil, record{"text": text})
		if message == "" {
			require.NotContains(t, out["title"], "b")
			continue
		}
		require.ErrorContains(t, err, message, cutTo(text))
		require.True(t, node.IsPermanent(err))
	}
}

func event(lines ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nDTSTAMP:20260101T000000Z\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
}

func TestICSParse(t *testing.T) {
	h, _ := host(t)
	starts := func(config record, text string) (all []any) {
		t.Helper()
		out, err := h.Exec("data.ics_parse", config, record{"text": text})
		require.NoError(t, err)
		for _, e := range out["events"].([]any) {
			all = append(all, e.(record)["start"])
		}
		return all
	}
	out, err := h.Exec("data.ics_parse", record{"timezone": "Europe/Berlin"}, record{"text": event("UID:1", "SUMMARY:Tea\\, and milk", "DTSTART:20260131T160000Z", "DTEND:20260131T170000Z", "LOCATION:Here", "DESCRIPTION:a\\nb") +
		event("UID:2", "SUMMARY:Day", "DTSTART;VALUE=DATE:20260130")})
	require.NoError(t, err)
	require.Equal(t, []any{
		record{"id": "2", "title": "Day", "start": "2026-01-30", "end": "2026-01-31", "location": "", "description": "", "allDay": true},
		record{"id": "1", "title": "Tea, and milk", "start": "2026-01-31T17:00:00.000+01:00", "end": "2026-01-31T18:00:00.000+01:00", "location": "Here", "description": "a\nb", "allDay": false},
	}, out["events"])

	march := record{"from": "2026-03-20", "until": "2026-04-05", "timezone": "Europe/Berlin"}
	// A meeting stays at ten o'clock across a clock change.
	require.Equal(t, []any{"2026-03-23T10:00:00.000+01:00", "2026-03-30T10:00:00.000+02:00"},
		starts(march, event("UID:1", "DTSTART;TZID=Europe/Berlin:20260105T100000", "DURATION:PT1H", "RRULE:FREQ=WEEKLY")))
	weekly := []string{"UID:1", "DTSTART:20260323T100000Z", "RRULE:FREQ=DAILY;COUNT=4", "EXDATE:20260324T100000Z,20260325T100000Z", "RDATE:20260401T100000Z"}
	require.Equal(t, []any{"2026-03-23T11:00:00.000+01:00", "2026-03-26T11:00:00.000+01:00", "2026-04-01T12:00:00.000+02:00"}, starts(march, event(weekly...)))
	moved := strings.Replace(event("UID:1", "DTSTART:20260323T100000Z", "RRULE:FREQ=DAILY;COUNT=2"), "END:VCALENDAR",
		"BEGIN:VEVENT\r\nDTSTAMP:20260101T000000Z\r\nUID:1\r\nRECURRENCE-ID:20260324T100000Z\r\nDTSTART:20260324T200000Z\r\nEND:VEVENT\r\nEND:VCALENDAR", 1)
	require.Equal(t, []any{"2026-03-23T11:00:00.000+01:00", "2026-03-24T21:00:00.000+01:00"}, starts(march, moved))
	require.Equal(t, []any{"2026-03-28", "2026-03-29", "2026-03-30"}, starts(march, event("UID:1", "DTSTART;VALUE=DATE:20260328", "RRULE:FREQ=DAILY;COUNT=3")))
	require.Equal(t, []any{"2026-03-29T12:00:00.000+02:00"}, starts(march, event("UID:1", "DTSTART;TZID=W. Europe Standard Time:20260329T120000")))
	require.Equal(t, []any{"2026-03-19"}, starts(march, event("UID:1", "DTSTART;VALUE=DATE:20260319", "DTEND;VALUE=DATE:20260322")), "what has begun before, and goes on")
	require.Empty(t, starts(march, event("UID:1", "DTSTART:20260405T120000Z")))
	require.Equal(t, []any{"2026-01-01"}, starts(nil, event("UID:1", "DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY")), "not unfolded")

	for message, text := range map[string]string{
		"the calendar cannot be read":                     "hello",
		`event "x": it has no start`:                      event("UID:1", "SUMMARY:x"),
		`event "x": its start "y" is no time`:             event("UID:1", "SUMMARY:x", "DTSTART:y"),
		`event "x": its rule "FREQ=NEVER" cannot be read`: event("UID:1", "SUMMARY:x", "DTSTART:20260101T000000Z", "RRULE:FREQ=NEVER"),
		`event "x": it repeats more than 200000 times`:    event("UID:1", "SUMMARY:x", "DTSTART:20260101T000000Z", "RRULE:FREQ=SECONDLY"),
		`there are more than 10000 events`:                strings.Repeat(event("UID:1", "SUMMARY:x", "DTSTART:20200101T000000Z", "RRULE:FREQ=DAILY"), 1000),
		"line 17: parts of the calendar nest deeper":      strings.Repeat("BEGIN:X\r\n", 100_000),
	} {
		_, err := h.Exec("data.ics_parse", march, record{"text": text})
		require.ErrorContains(t, err, message)
		require.True(t, node.IsPermanent(err))
	}
	require.Len(t, h.Problems("data.ics_parse", record{"text": "", "timezone": "Nowhere"}), 1)
	_, err = h.Exec("data.ics_parse", record{"from": "soon"}, record{"text": ""})
	require.ErrorContains(t, err, `from is "soon"`)
}

func FuzzFeedsAndCalendars(f *testing.F) {
	f.Add(rss)
	f.Add(atom)
	f.Add(jsonFeed)
	f.Add(event("UID:1", "DTSTART;TZID=Europe/Berlin:20260105T100000", "DURATION:PT1H", "RRULE:FREQ=MONTHLY;BYDAY=-1MO;INTERVAL=2", "EXDATE:20260324T100000Z"))
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // not a valid text in a workflow
		}
		h := nodetest.New(t, data.New(data.Config{}))
		_, _ = h.Exec("data.feed_parse", nil, record{"text": text})
		_, _ = h.Exec("data.ics_parse", record{"from": "2026-01-01"}, record{"text": text})
	})
}
