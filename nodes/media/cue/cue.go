// Package cue reads subtitles of the formats SRT and WebVTT as people have them: with any
// line ends, commas or dots, without hours, numbers or empty lines.
package cue

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/svcflow/svc/nodes/reading"
)

// Cue is a text and when it is shown, in milliseconds.
type Cue struct {
	Text       string
	Start, End float64
}

// timing is a line with the times of a cue, and the texts that follow it.
type timing struct {
	line       int // from 1
	start, end string
	lines      []string
	id         bool // a line with its number is before it
}

// stamp is a time: hours may be missing, and fractions may have any separator.
const stamp = `(-?(?:\d+\s*:\s*)?\d{1,2}\s*:\s*\d{1,2}(?:\s*[.,:;]\s*\d{1,9})?)`

// timeLine matches the line with the times of a cue, tag the markup of WebVTT, known the
// markup that players know in SRT, and override that of ASS, which some SRT files have.
var (
	timeLine = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // a constant table
		return regexp.MustCompile(`^\s*` + stamp + `\s*(?:-{2,3}|–|—)\s?>\s*` + stamp + `(?:\s.*)?$`)
	})
	tag   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]*>`) }) //nolint:gochecknoglobals // a constant table
	known = sync.OnceValue(func() *regexp.Regexp {                                          //nolint:gochecknoglobals // a constant table
		return regexp.MustCompile(`(?i)</?(?:i|b|u|s|em|strong|font|span|c|v|ruby|rt|lang)(?:[ .][^<>]*)?>`)
	})
	override = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\\[^{}]*\}`) }) //nolint:gochecknoglobals // a constant table
)

// Read reads cues in the order of the file. Those whose times cannot be right are noted in
// notes as dropped. It returns nil if the text has no cues at all.
func Read(text string, notes *reading.Notes) []Cue {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(strings.TrimPrefix(text, "\ufeff"))
	isVTT := strings.HasPrefix(strings.TrimSpace(text), "WEBVTT")
	var cues []Cue
	for _, t := range split(text, isVTT, notes) {
		if c, is := t.cue(isVTT, notes); is {
			cues = append(cues, c)
		}
	}
	return cues
}

// split finds the timing lines and the texts that belong to them.
func split(text string, isVTT bool, notes *reading.Notes) (all []*timing) {
	times := timeLine()
	var t *timing
	lines := strings.Split(text, "\n")
	skipping := false // a comment or a style of WebVTT
	for i, line := range lines {
		blank := strings.TrimSpace(line) == ""
		if skipping && !blank {
			continue
		}
		skipping = false
		if isVTT && startsBlock(lines, i) {
			skipping = true
			continue
		}
		if strings.Contains(line, ">") {
			if m := times.FindStringSubmatch(line); m != nil {
				next := &timing{line: i + 1, start: m[1], end: m[2]}
				next.id = t.dropID(len(all) > 0 && all[0].id)
				if t == nil && i > 0 {
					next.id = number(lines[i-1])
				}
				t = next
				all = append(all, t)
				continue
			}
			if strings.Contains(line, "-->") && strings.ContainsAny(line, "0123456789") {
				notes.Dropped(i+1, "", "the times of a caption cannot be read: %q", shortened(line))
				t.dropID(len(all) > 0 && all[0].id)
				t = &timing{line: i + 1} // its text belongs to no other caption
				continue
			}
		}
		if t != nil {
			t.lines = append(t.lines, line)
		}
	}
	return all
}

// startsBlock reports whether a comment, style or region of WebVTT begins at a line.
func startsBlock(lines []string, i int) bool {
	if i > 0 && strings.TrimSpace(lines[i-1]) != "" {
		return false
	}
	word, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " ")
	return word == "NOTE" || word == "STYLE" || word == "REGION"
}

// dropID removes the number or name of the next cue from the lines of t. Without an empty
// line before it, it has to be a number, in a file that has numbers.
func (t *timing) dropID(numbered bool) bool {
	if t == nil || len(t.lines) == 0 {
		return false
	}
	n := len(t.lines)
	last := t.lines[n-1]
	afterBlank := n > 1 && strings.TrimSpace(t.lines[n-2]) == ""
	if strings.TrimSpace(last) == "" || !afterBlank && (!numbered || !number(last)) {
		return false
	}
	t.lines = t.lines[:n-1]
	return true
}

func number(line string) bool {
	line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	return line != "" && strings.Trim(line, "0123456789") == ""
}

// cue returns the cue of a timing line, if its times can be right and it has a text.
func (t *timing) cue(isVTT bool, notes *reading.Notes) (Cue, bool) {
	if t.start == "" {
		return Cue{}, false // noted already
	}
	c := Cue{Start: millis(t.start), End: millis(t.end), Text: t.text(isVTT)}
	switch {
	case c.Text == "":
		return c, false
	case c.End < c.Start:
		notes.Dropped(t.line, "", "the caption %q ends before it begins", shortened(c.Text))
		return c, false
	case c.End < 0:
		notes.Dropped(t.line, "", "the caption %q is before the beginning", shortened(c.Text))
		return c, false
	case c.Start < 0:
		notes.Repaired(t.line, "", "the caption %q begins before the beginning; it begins at 0 now", shortened(c.Text))
		c.Start = 0
	}
	return c, true
}

// millis returns a time in milliseconds.
func millis(s string) float64 {
	s = strings.Join(strings.Fields(s), "")
	negative := strings.HasPrefix(s, "-")
	parts := strings.FieldsFunc(strings.TrimPrefix(s, "-"), func(r rune) bool { return strings.ContainsRune(":.,;", r) })
	fraction := ""
	if strings.ContainsAny(s, ".,;") || len(parts) == 4 {
		parts, fraction = parts[:len(parts)-1], parts[len(parts)-1]
	}
	n := 0.0
	for _, part := range parts {
		digit, _ := strconv.ParseFloat(part, 64) // digits only
		n = n*60 + digit
	}
	n *= 1000
	if fraction != "" {
		f, _ := strconv.ParseFloat("0."+fraction, 64) // digits only
		n += float64(int(f*1e6+0.5)) / 1000
	}
	if negative {
		return -n
	}
	return n
}

// text returns the lines of a cue without empty ones and markup.
func (t *timing) text(isVTT bool) string {
	var lines []string
	for _, line := range t.lines {
		if isVTT && strings.TrimSpace(line) == "" {
			break // what follows is no part of the cue
		}
		if line = strings.TrimSpace(plain(line, isVTT)); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// plain removes markup: all tags of WebVTT, and those that players know in SRT, where other
// angle brackets are text.
func plain(line string, isVTT bool) string {
	if strings.Contains(line, "<") {
		markup := known()
		if isVTT {
			markup = tag()
		}
		line = markup.ReplaceAllString(line, "")
	}
	if !isVTT && strings.Contains(line, `{\`) {
		line = override().ReplaceAllString(line, "")
	}
	if strings.Contains(line, "&") {
		line = html.UnescapeString(line)
	}
	return line
}

// shortened cuts a text for a message.
func shortened(s string) string {
	if r := []rune(s); len(r) > 64 {
		return string(r[:64]) + "…"
	}
	return s
}
