package data

import (
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// isDate reports whether a style formats numbers as dates or times.
func (r *sheetReader) isDate(style int) bool {
	known, seen := r.styles[style]
	if seen {
		return known
	}
	s, err := r.f.GetStyle(style)
	is := false
	switch {
	case err != nil:
	case s.CustomNumFmt != nil:
		is = showsDate(*s.CustomNumFmt)
	default:
		id := s.NumFmt
		is = id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
	}
	r.styles[style] = is
	return is
}

// showsDate reports whether a number format has letters of dates outside of quoted texts,
// colours and escapes.
func showsDate(format string) bool {
	format, _, _ = strings.Cut(format, ";") // the section for positive numbers
	for i := 0; i < len(format); i++ {
		switch c := format[i] | 0x20; {
		case format[i] == '\\' || format[i] == '_' || format[i] == '*':
			i++
		case format[i] == '"':
			i += 1 + strings.IndexByte(format[i+1:]+`"`, '"')
		case format[i] == '[':
			end := strings.IndexByte(format[i:]+"]", ']')
			if inside := strings.ToLower(format[i+1 : min(len(format), i+end)]); strings.Trim(inside, "hms") == "" && inside != "" {
				return true // elapsed hours, minutes or seconds
			}
			i += end
		case c == 'y' || c == 'd' || c == 'h' || c == 's' || c == 'm':
			return true
		case c == 'g' || c == 'e':
			return false // General, or an exponent
		}
	}
	return false
}

// date converts a serial number to ISO 8601: a date, a time, or both.
func (r *sheetReader) date(n float64) any {
	props, err := r.f.GetWorkbookProps()
	from1904 := err == nil && props.Date1904 != nil && *props.Date1904
	t, err := excelize.ExcelDateToTime(n, from1904)
	if err != nil || n < 0 {
		return n
	}
	t = t.Round(time.Millisecond)
	midnight := t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0
	switch {
	case n < 1 && !from1904:
		return t.Format("15:04:05")
	case midnight:
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999")
}
