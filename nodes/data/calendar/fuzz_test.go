package calendar_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/data/calendar"
	"github.com/svcflow/svc/nodes/reading"
	"github.com/svcflow/svc/nodes/zone"
)

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.ics")
	require.NoError(f, err)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	for _, rule := range []string{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=SECONDLY", "FREQ=YEARLY;BYWEEKNO=53;BYSETPOS=-1;INTERVAL=7", "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20270101"} {
		f.Add([]byte("BEGIN:VEVENT\nDTSTART:16040229T240000\nRRULE:" + rule + "\nEXDATE;VALUE=DATE:20260301\nRDATE;VALUE=PERIOD:20260101T000000Z/P1D\nEND:VEVENT\n"))
	}
	z := &zone.Table{}
	at, err := z.Find("America/Santiago")
	require.NoError(f, err)
	o := calendar.Options{Zone: at, Find: z.Find, Expand: true, From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, _, _, err := charset.Text(calendar.Rejoin(data), "", "")
		require.NoError(t, err)
		var notes reading.Notes
		events, err := calendar.Read(t.Context(), text, o, &notes)
		if err != nil {
			return
		}
		for _, e := range events {
			require.False(t, e.End.Before(e.Start))
			require.Equal(t, e.AllDay, e.AllDay && e.Start.Equal(e.Start.Truncate(24*time.Hour)), "days begin at midnight")
		}
		once := o
		once.Expand = false
		_, err = calendar.Read(t.Context(), text, once, nil)
		require.NoError(t, err)
	})
}
