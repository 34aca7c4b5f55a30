package time

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxLayout bounds a layout, in bytes.
const maxLayout = 500

// word writes one part of a time.
type word func(t time.Time, in *language) string

// vocabulary is what layouts are written with. It is made once, for it is asked at every
// call, and never changed.
type vocabulary struct {
	words     map[string]word
	languages map[string]*language
}

func newVocabulary() *vocabulary { return &vocabulary{words: words(), languages: languages()} }

// words has the words of layouts, by how they are written.
func words() map[string]word {
	return map[string]word{
		"YYYY": func(t time.Time, _ *language) string { return fmt.Sprintf("%04d", t.Year()) },
		"YY":   func(t time.Time, _ *language) string { return two(t.Year() % 100) },
		"MMMM": func(t time.Time, in *language) string { return in.months[t.Month()-1] },
		"MMM":  func(t time.Time, in *language) string { return in.shortMonths[t.Month()-1] },
		"MM":   func(t time.Time, _ *language) string { return two(int(t.Month())) },
		"M":    func(t time.Time, _ *language) string { return strconv.Itoa(int(t.Month())) },
		"DDDD": func(t time.Time, _ *language) string { return fmt.Sprintf("%03d", t.YearDay()) },
		"DD":   func(t time.Time, _ *language) string { return two(t.Day()) },
		"D":    func(t time.Time, _ *language) string { return strconv.Itoa(t.Day()) },
		"dddd": func(t time.Time, in *language) string { return in.days[t.Weekday()] },
		"ddd":  func(t time.Time, in *language) string { return in.shortDays[t.Weekday()] },
		"E":    func(t time.Time, _ *language) string { return strconv.Itoa(weekday(t)) },
		"Q":    func(t time.Time, _ *language) string { return strconv.Itoa((int(t.Month())-1)/3 + 1) },
		"GGGG": func(t time.Time, _ *language) string { year, _ := t.ISOWeek(); return fmt.Sprintf("%04d", year) },
		"WW":   func(t time.Time, _ *language) string { _, week := t.ISOWeek(); return two(week) },
		"W":    func(t time.Time, _ *language) string { _, week := t.ISOWeek(); return strconv.Itoa(week) },
		"HH":   func(t time.Time, _ *language) string { return two(t.Hour()) },
		"H":    func(t time.Time, _ *language) string { return strconv.Itoa(t.Hour()) },
		"hh":   func(t time.Time, _ *language) string { return two(twelve(t)) },
		"h":    func(t time.Time, _ *language) string { return strconv.Itoa(twelve(t)) },
		"mm":   func(t time.Time, _ *language) string { return two(t.Minute()) },
		"m":    func(t time.Time, _ *language) string { return strconv.Itoa(t.Minute()) },
		"ss":   func(t time.Time, _ *language) string { return two(t.Second()) },
		"s":    func(t time.Time, _ *language) string { return strconv.Itoa(t.Second()) },
		"SSS": func(t time.Time, _ *language) string {
			return fmt.Sprintf("%03d", t.Nanosecond()/int(time.Millisecond))
		},
		"A":  func(t time.Time, _ *language) string { return t.Format("PM") },
		"a":  func(t time.Time, _ *language) string { return t.Format("pm") },
		"Z":  func(t time.Time, _ *language) string { return t.Format("-07:00") },
		"ZZ": func(t time.Time, _ *language) string { return t.Format("-0700") },
		"X":  func(t time.Time, _ *language) string { return strconv.FormatInt(t.Unix(), 10) },
		"x":  func(t time.Time, _ *language) string { return strconv.FormatInt(t.UnixMilli(), 10) },
		"T":  func(time.Time, *language) string { return "T" }, // between date and time in ISO 8601
	}
}

func two(n int) string { return fmt.Sprintf("%02d", n) }

func twelve(t time.Time) int { return (t.Hour()+11)%12 + 1 }

// layout is a parsed layout: texts and words in turn.
type layout []word

// layout parses a layout. A word is a run of one letter; text is in square brackets, and other
// characters are literal. Letters that are no word are an error, since layouts of other
// products look alike and mean something else.
func (v *vocabulary) layout(text string) (layout, error) {
	if len(text) > maxLayout {
		return nil, fmt.Errorf("the layout is longer than %d bytes", maxLayout)
	}
	var l layout
	for rest := text; rest != ""; {
		piece, isWord := next(rest)
		at := utf8.RuneCountInString(text[:len(text)-len(rest)]) + 1
		rest = rest[len(piece):]
		switch w, known := v.words[piece]; {
		case isWord && !known:
			return nil, fmt.Errorf("the layout is wrong at character %d: %s is no word of it; the words are such as YYYY, MM, DD, HH, mm and ss, and text stands in brackets, as in [at]",
				at, cut(piece))
		case isWord:
			l = append(l, w)
		case piece[0] == '[':
			if !strings.HasSuffix(piece, "]") {
				return nil, fmt.Errorf("the layout is wrong at character %d: a [ without a ] behind it", at)
			}
			l = append(l, literal(piece[1:len(piece)-1]))
		default:
			l = append(l, literal(piece))
		}
	}
	return l, nil
}

// next returns the piece in front of a layout: letters of one kind, what is in brackets,
// or a character that is neither.
func next(rest string) (piece string, isWord bool) {
	first := rest[0]
	switch {
	case first == '[':
		if end := strings.IndexByte(rest, ']'); end >= 0 {
			return rest[:end+1], false
		}
		return rest, false
	case first|0x20 >= 'a' && first|0x20 <= 'z':
		return rest[:len(rest)-len(strings.TrimLeft(rest, string(first)))], true
	}
	_, size := utf8.DecodeRuneInString(rest)
	return rest[:size], false
}

func literal(text string) word { return func(time.Time, *language) string { return text } }

func (v *vocabulary) checkLayout(text string) error {
	_, err := v.layout(text)
	return err
}

func (l layout) write(t time.Time, in *language) string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString(w(t, in))
	}
	return b.String()
}

// longest is how many characters of a text a message shows.
const longest = 64

// cut bounds what a message shows of a text.
func cut(s string) string {
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}
