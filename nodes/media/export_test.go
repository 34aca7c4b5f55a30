package media

import (
	"io"
	"time"
)

// Exports for tests of parsers.

// ReadProgress exports readProgress.
func ReadProgress(r io.Reader, at func(time.Duration)) { readProgress(r, at) }

// ParseProbe parses the output of ffprobe for a source of a kind.
func ParseProbe(text []byte, kind string) (Source, error) {
	var p probed
	if err := parseProbe(text, &p); err != nil {
		return Source{}, err
	}
	s := Source{Path: "a"}
	return s, p.fill(&s, kind)
}

// ParseSilences exports parseSilences.
func ParseSilences(said string, duration float64) []Span { return parseSilences(said, duration) }

// ParseLoudness exports parseLoudness.
func ParseLoudness(said string) (Loudness, error) { return parseLoudness(said) }
