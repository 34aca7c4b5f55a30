package time

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// reading is a layout that texts are read with: its pieces in turn.
type reading []piece

// piece is a word of a layout, or a literal text.
type piece struct {
	text string
	word bool
}

// reading takes a layout apart that is to be read with. Words that say too little of when it
// is, such as the number of the week, are refused.
func (v *vocabulary) reading(text string) (reading, error) {
	if _, err := v.layout(text); err != nil {
		return nil, err
	}
	var r reading
	for rest := text; rest != ""; {
		p, isWord := next(rest)
		rest = rest[len(p):]
		if isWord && p != "T" {
			switch p {
			case "DDDD", "Q", "GGGG", "WW", "W", "E":
				return nil, fmt.Errorf("%s can be written and not read; read the year, the month and the day", p)
			}
			r = append(r, piece{p, true})
			continue
		}
		if p[0] == '[' {
			p = p[1 : len(p)-1]
		}
		r = append(r, piece{p, false})
	}
	return r, nil
}

// parts are the parsed parts of a time.
type parts struct {
	year, month, day, hour, minute, second, milli int

	afternoon, twelve bool
	at                *time.Location
	unixMs            *int64
}

func (r reading) read(text string, in *language, at *time.Location) (time.Time, error) {
	if len(text) > maxText*4 {
		return time.Time{}, fmt.Errorf("%q is too long for a time", cut(text))
	}
	p := parts{year: 1970, month: 1, day: 1, at: at}
	rest := strings.TrimSpace(text)
	whole := rest
	for _, piece := range r {
		behind, ok := strings.CutPrefix(rest, piece.text)
		if piece.word {
			behind, ok = p.take(piece.text, rest, in)
		}
		if !ok {
			at := utf8.RuneCountInString(whole[:len(whole)-len(rest)]) + 1
			return time.Time{}, fmt.Errorf("%q does not fit the layout: %s was expected at character %d", cut(whole), piece.text, at)
		}
		rest = behind
	}
	if rest != "" {
		return time.Time{}, fmt.Errorf("%q does not fit the layout: %q stands behind its end", cut(whole), cut(rest))
	}
	return p.time(whole)
}

// take reads a word at the beginning of text.
func (p *parts) take(word, text string, in *language) (rest string, ok bool) {
	switch word {
	case "YYYY":
		return number(text, 4, 4, &p.year)
	case "YY":
		rest, ok = number(text, 2, 2, &p.year)
		if p.year += 2000; p.year >= 2069 { // as POSIX has it
			p.year -= 100
		}
		return rest, ok
	case "MMMM", "MMM":
		return name(text, &p.month, in.months, in.shortMonths)
	case "dddd", "ddd":
		var weekday int // says nothing that the date does not
		return name(text, &weekday, in.days, in.shortDays)
	case "MM", "DD", "HH", "hh", "mm", "ss":
		return number(text, 2, 2, p.field(word))
	case "M", "D", "H", "h", "m", "s":
		return number(text, 1, 2, p.field(word))
	case "SSS":
		return number(text, 3, 3, &p.milli)
	case "A", "a":
		var half int
		rest, ok = name(text, &half, []string{"am", "pm"})
		p.afternoon = half == 2
		return rest, ok
	case "Z", "ZZ":
		return p.distance(text)
	}
	return p.unix(word, text)
}

func (p *parts) field(word string) *int {
	switch word[0] {
	case 'M':
		return &p.month
	case 'D':
		return &p.day
	case 'm':
		return &p.minute
	case 's':
		return &p.second
	case 'h':
		p.twelve = true
	}
	return &p.hour
}

// number reads a number with the given count of digits.
func number(text string, least, most int, to *int) (rest string, ok bool) {
	n := 0
	for n < most && n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n < least {
		return text, false
	}
	*to, _ = strconv.Atoi(text[:n]) // digits, and few
	return text[n:], true
}

// name reads the longest of some names, and says which it is, from 1 on.
func name(text string, to *int, lists ...[]string) (rest string, ok bool) {
	longest := 0
	for _, list := range lists {
		for i, name := range list {
			for _, name := range []string{name, strings.TrimSuffix(name, ".")} {
				if len(name) > longest && len(text) >= len(name) && strings.EqualFold(text[:len(name)], name) {
					longest, *to = len(name), i+1
				}
			}
		}
	}
	return text[longest:], longest > 0
}

// distance reads the distance from UTC: Z, +01:00, +0100 or +01, or the name of a zone as in
// dates of mail.
func (p *parts) distance(text string) (rest string, ok bool) {
	letters := 0
	for letters < len(text) && text[letters]|0x20 >= 'a' && text[letters]|0x20 <= 'z' {
		letters++
	}
	if letters > 1 {
		if at, err := readZone(text[:letters]); err == nil && at != nil {
			p.at = at
			return text[letters:], true
		}
	}
	for _, n := range []int{len("+01:00"), len("+0100"), len("+01"), len("Z")} {
		if n <= len(text) {
			if at, ok := readOffset(text[:n]); ok {
				p.at = at
				return text[n:], true
			}
		}
	}
	return text, false
}

// unix reads seconds or milliseconds since 1970.
func (p *parts) unix(word, text string) (rest string, ok bool) {
	digits := len(text) - len(strings.TrimLeft(text, "-0123456789"))
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	if word == "X" {
		n *= 1000
	}
	if err != nil || digits > 15 {
		return text, false
	}
	p.unixMs = &n
	return text[digits:], true
}

func (p *parts) time(text string) (time.Time, error) {
	if p.unixMs != nil {
		t := time.UnixMilli(*p.unixMs)
		if y := t.UTC().Year(); y < 0 || y > lastYear {
			return time.Time{}, fmt.Errorf("%q is too much for a time", cut(text))
		}
		return t, nil
	}
	if p.twelve {
		if p.hour < 1 || p.hour > 12 {
			return time.Time{}, fmt.Errorf("%q is no time: the hour is %d of 12", cut(text), p.hour)
		}
		p.hour %= 12
		if p.afternoon {
			p.hour += 12
		}
	}
	day := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
	if day.Month() != time.Month(p.month) || day.Day() != p.day {
		return time.Time{}, fmt.Errorf("%q is no time: there is no day %d of month %d in %04d", cut(text), p.day, p.month, p.year)
	}
	m := moment{day: day, hour: p.hour, minute: p.minute, second: p.second, nano: p.milli * int(time.Millisecond)}
	return m.in(text, p.at)
}
