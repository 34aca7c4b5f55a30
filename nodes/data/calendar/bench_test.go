package calendar_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/data/calendar"
	"github.com/svcflow/svc/nodes/zone"
)

// year is a calendar with a zone, and events as offices have them: some repeat.
func year() string {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\nBEGIN:VTIMEZONE\r\nTZID:W. Europe Standard Time\r\n" +
		"BEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n" +
		"BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n")
	day := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range 1000 {
		at := day.AddDate(0, 0, i%365).Format("20060102T150405")
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d@example.com\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;TZID=W. Europe Standard Time:%s\r\nDURATION:PT1H\r\nSUMMARY:Meeting %d\\, weekly\r\n"+
			"DESCRIPTION:A text that is longer than a line\\, so that it has to be folded by t\r\n he program that writes it.\\nIt has two lines.\r\n"+
			"ATTENDEE;CN=\"Doe, Jane\";ROLE=REQ-PARTICIPANT:mailto:jane@example.com\r\nSTATUS:CONFIRMED\r\nSEQUENCE:1\r\n", i, at, i)
		if i%100 == 0 {
			b.WriteString("RRULE:FREQ=WEEKLY;COUNT=10\r\n")
		}
		b.WriteString("END:VEVENT\r\n")
	}
	b.WriteString("END:VCALENDAR\r\n")
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	text := year()
	z := &zone.Table{}
	o := calendar.Options{Zone: time.UTC, Find: z.Find, Expand: true, From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		events, err := calendar.Read(b.Context(), text, o, nil)
		require.NoError(b, err)
		require.Equal(b, 1085, len(events))
	}
}
