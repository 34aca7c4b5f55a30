package trigger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/trigger"
)

type record = map[string]any

func TestSpecs(t *testing.T) { nodetest.Check(t, trigger.Plugin(trigger.Config{})) }

func TestRandom(t *testing.T) {
	nodetest.Quick(t, trigger.Plugin(trigger.Config{}), map[string][]map[string]any{
		"trigger.webhook": {{"path": "orders", "secret": "webhook:shop", "methods": []any{"POST"}, "answerWithinMs": 1000, "maxBytes": 10}},
		"trigger.form":    {{"path": "contact/abcdefghijklmnopqrstuv", "title": "Contact", "auth": "none", "respond": "text", "answerWithinMs": 1000, "maxBytes": 10, "fields": []any{record{"name": "a"}}}},
		"trigger.feed":    {{"url": "https://news.example/feed", "every": "15m"}},
		"trigger.file":    {{"dir": "in", "pattern": "*", "events": []any{"created"}, "settleMs": 10}},
		"trigger.poll":    {{"workflowId": "w", "output": "o", "by": "item", "every": "1h", "cron": "", "timezone": "UTC", "first": "skip"}},
		"trigger.schedule": {
			{"cron": "@daily", "every": "", "timezone": "UTC", "jitterMs": 0, "from": "", "until": ""},
			{"every": "15m", "cron": "", "timezone": "Asia/Kolkata", "jitterMs": 5, "from": "2026-01-31", "until": ""},
		},
	})
}

func TestByHand(t *testing.T) {
	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	now := time.Date(2026, 1, 31, 7, 0, 5, 250e6, time.UTC)
	out, err := h.Fire("trigger.manual", record{"sample": record{"order": 17}}, now)
	require.NoError(t, err)
	require.Equal(t, record{"payload": record{"order": 17}}, out)
	source, err := h.Source("trigger.manual", nil)
	require.NoError(t, err)
	require.Nil(t, source, "it never fires by itself")

	out, err = h.Fire("trigger.schedule", record{"every": "1h", "timezone": "Europe/Berlin"}, now)
	require.NoError(t, err)
	require.Equal(t, record{"scheduled": "2026-01-31T08:00:05.250+01:00", "time": "2026-01-31T08:00:05.250+01:00", "missed": 0}, out)
}

func TestWhatAScheduleRefuses(t *testing.T) {
	tests := []struct {
		config        record
		port, message string
	}{
		{record{}, "cron", "say when it fires, in cron or in every"},
		{record{"cron": "@daily", "every": "1h"}, "every", "give either cron or every, not both"},
		{record{"cron": "0 0 31 2 *"}, "cron", `"0 0 31 2 *" would never fire: February has no day 31`},
		{record{"cron": "0 0 31 2,4,6 *"}, "cron", `"0 0 31 2,4,6 *" would never fire: none of February, April and June has a day 31`},
		{record{"cron": "0 0 30 feb *"}, "cron", `"0 0 30 feb *" would never fire: February has no day 30`},
		{record{"cron": "0 25 * * *"}, "cron", `"0 25 * * *" is no cron expression: end of range (25) above maximum (23): "25"; write minute, hour, day of the month, month and day of the week, such as 0 8 * * 1-5`},
		{record{"cron": "CRON_TZ=UTC 0 8 * * *"}, "cron", `the zone does not belong into the expression; set it in "timezone"`},
		{record{"cron": "@every 5m"}, "cron", `set the distance in "every" instead, for example 15m`},
		{record{"cron": "@reboot"}, "cron", "@reboot is no time; a workflow cannot wait for the start of a server"},
		{record{"every": "0s"}, "every", "0s is too short; it is at least a second"},
		{record{"every": "-1h"}, "every", "-1h is too short; it is at least a second"},
		{record{"every": "1500ms"}, "every", "1500ms is no whole number of seconds"},
		{record{"every": "9000h"}, "every", "9000h is too long; it is at most 366 days, that is 8784h"},
		{record{"every": "often"}, "every", `"often" is no distance in time; write it as 30s, 15m or 1h30m`},
		{record{"every": "1h", "timezone": "Mars/Olympus"}, "timezone", `there is no time zone "Mars/Olympus"; give a name such as UTC or Europe/Berlin, or a distance such as +02:00`},
		{record{"every": "1h", "jitterMs": -1}, "jitterMs", "it is a number from 0 to 3600000"},
		{record{"every": "1h", "from": "tomorrow"}, "from", `"tomorrow" is no moment; write it as 2026-01-31 or 2026-01-31T08:00:00`},
		{record{"every": "1h", "from": "2026-02-01", "until": "2026-01-31"}, "until", "it is not behind from"},
		{record{"cron": "@yearly", "from": "2026-02-01", "until": "2026-03-01"}, "until", "no time of the schedule lies between from and until"},
	}
	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	for _, tt := range tests {
		problems := h.Problems("trigger.schedule", tt.config)
		require.Len(t, problems, 1, "%v", tt.config)
		require.Equal(t, tt.port, problems[0].Port, "%v", tt.config)
		require.Equal(t, tt.message, problems[0].Message)
	}
	require.Len(t, h.Problems("trigger.schedule", record{"cron": "x", "jitterMs": -1, "from": "y"}), 3, "all at once")
}

// times returns the source of a schedule.
func times(t *testing.T, config record) node.Times {
	t.Helper()
	source, err := nodetest.New(t, trigger.Plugin(trigger.Config{})).Source("trigger.schedule", config)
	require.NoError(t, err)
	s, ok := source.(node.Times)
	require.True(t, ok)
	return s
}

func TestTimes(t *testing.T) {
	tests := []struct {
		name   string
		config record
		after  string
		want   []string
	}{
		{
			"a time that does not exist comes at the end of the gap",
			record{"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
			"2026-03-28T00:00:00+01:00",
			[]string{"2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"},
		},
		{
			"several of them come once",
			record{"cron": "*/20 * * * *", "timezone": "Europe/Berlin"},
			"2026-03-29T01:30:00+01:00",
			[]string{"2026-03-29T01:40:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:20:00+02:00"},
		},
		{
			"a time that exists twice comes the first time",
			record{"cron": "30 2 * * *", "timezone": "Europe/Berlin"},
			"2026-10-24T12:00:00+02:00",
			[]string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"},
		},
		{
			"also for who asks in between",
			record{"cron": "*/20 * * * *", "timezone": "Europe/Berlin"},
			"2026-10-25T02:10:00+01:00",
			[]string{"2026-10-25T03:00:00+01:00"},
		},
		{"a day that a zone has left out", record{"cron": "0 12 * * *", "timezone": "Pacific/Apia"}, "2011-12-29T13:00:00-10:00", []string{"2011-12-31T00:00:00+14:00", "2011-12-31T12:00:00+14:00"}},
		{"leap days", record{"cron": "0 0 29 2 *"}, "2026-01-01T00:00:00Z", []string{"2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"}},
		{"leap days around 2100", record{"cron": "0 0 29 2 *"}, "2096-03-01T00:00:00Z", []string{"2104-02-29T00:00:00Z"}},
		{"the last day", record{"cron": "0 0 L * *"}, "2026-01-31T00:00:00Z", []string{"2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"}},
		{"the last but two", record{"cron": "0 0 L-2 * *"}, "2026-01-31T00:00:00Z", []string{"2026-02-26T00:00:00Z"}},
		{"the last working day", record{"cron": "0 0 LW * *"}, "2026-01-01T00:00:00Z", []string{"2026-01-30T00:00:00Z", "2026-02-27T00:00:00Z"}},
		{"the working day nearest to one", record{"cron": "0 0 15W * *"}, "2026-01-31T00:00:00Z", []string{"2026-02-16T00:00:00Z"}},
		{"which stays in its month", record{"cron": "0 0 1W * *"}, "2026-01-31T00:00:00Z", []string{"2026-02-02T00:00:00Z", "2026-03-02T00:00:00Z"}},
		{"the second Friday", record{"cron": "0 0 * * FRI#2"}, "2026-01-01T00:00:00Z", []string{"2026-01-09T00:00:00Z", "2026-02-13T00:00:00Z"}},
		{"the last Friday", record{"cron": "0 0 * * FRI#L"}, "2026-01-01T00:00:00Z", []string{"2026-01-30T00:00:00Z", "2026-02-27T00:00:00Z"}},
		{"week and month together", record{"cron": "0 0 13 * 5"}, "2026-01-01T00:00:00Z", []string{"2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z"}},
		{"7 is Sunday", record{"cron": "0 0 * * 7"}, "2026-01-01T00:00:00Z", []string{"2026-01-04T00:00:00Z"}},
		{"seconds", record{"cron": "*/30 59 23 31 12 *"}, "2026-12-31T23:59:00Z", []string{"2026-12-31T23:59:30Z", "2027-12-31T23:59:00Z"}},
		{"words", record{"cron": "@weekly"}, "2026-01-01T00:00:00Z", []string{"2026-01-04T00:00:00Z"}},
		{"distances count from midnight", record{"every": "15m"}, "2026-01-31T08:07:30Z", []string{"2026-01-31T08:15:00Z", "2026-01-31T08:30:00Z"}},
		{
			"or from a moment",
			record{"every": "1h", "from": "2026-01-31T08:20:00", "until": "2026-01-31T10:20:00", "timezone": "Europe/Berlin"},
			"2026-01-01T00:00:00Z",
			[]string{"2026-01-31T08:20:00+01:00", "2026-01-31T09:20:00+01:00", ""},
		},
		{"bounds of a calendar", record{"cron": "0 8 * * *", "from": "2026-01-31T08:00:00Z", "until": "2026-02-01T08:00:00Z"}, "2026-01-01T00:00:00Z", []string{"2026-01-31T08:00:00Z", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, tt.after)
			require.NoError(t, err)
			s := times(t, tt.config)
			for _, want := range tt.want {
				at = s.Next(at)
				if want == "" {
					require.True(t, at.IsZero(), "%v", at)
					break
				}
				require.Equal(t, want, at.Format(time.RFC3339))
			}
		})
	}
}
