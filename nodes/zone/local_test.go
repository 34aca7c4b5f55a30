package zone_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/zone"
)

func TestLocalReadsSkippedAndRepeatedTimes(t *testing.T) {
	for _, tt := range []struct{ zone, wall, want string }{
		{"UTC", "2026-03-29T02:30:00", "2026-03-29T02:30:00Z"},
		{"Europe/Berlin", "2026-01-15T12:00:00", "2026-01-15T12:00:00+01:00"},
		{"Europe/Berlin", "2026-03-29T01:59:59", "2026-03-29T01:59:59+01:00"},
		{"Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T03:30:00+02:00"},
		{"Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T03:00:00+02:00"},
		{"Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T02:30:00+02:00"},
		{"Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T03:00:00+01:00"},
		{"America/New_York", "2026-03-08T02:30:00", "2026-03-08T03:30:00-04:00"},
		{"America/New_York", "2026-11-01T01:30:00", "2026-11-01T01:30:00-04:00"},
		{"America/Santiago", "2026-09-06T00:00:00", "2026-09-06T01:00:00-03:00"},
		{"Asia/Beirut", "2026-03-29T00:00:00", "2026-03-29T01:00:00+03:00"},
		{"Africa/Cairo", "2026-04-24T00:00:00", "2026-04-24T01:00:00+03:00"},
		{"Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-04T02:45:00+11:00"},
		{"Pacific/Apia", "2011-12-30T12:00:00", "2011-12-31T12:00:00+14:00"}, // a day that did not exist
	} {
		var table zone.Table
		at, err := table.Find(tt.zone)
		require.NoError(t, err)
		wall, err := time.Parse("2006-01-02T15:04:05", tt.wall)
		require.NoError(t, err)
		got := zone.Local(wall, at)
		require.Equal(t, tt.want, got.Format(time.RFC3339), "%s in %s", tt.wall, tt.zone)
	}
}

func TestWallAndLocalAreInverse(t *testing.T) {
	at, err := new(zone.Table).Find("America/New_York")
	require.NoError(t, err)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 365 * 24 {
		moment := start.Add(time.Duration(i) * time.Hour).In(at)
		if back := zone.Local(zone.Wall(moment), at); !back.Equal(moment) {
			require.Equal(t, "2026-11-01T06:00:00Z", moment.UTC().Format(time.RFC3339), "only the repeated hour differs")
		}
	}
}
