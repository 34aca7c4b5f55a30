package media

import (
	"io"
	"time"
)

// What tests of parsers see.

// ReadProgress calls at for each time that a stream of progress tells.
func ReadProgress(r io.Reader, at func(time.Duration)) { readProgress(r, at) }

// ParseProbe reads what ffprobe says, as a source of a kind.
func ParseProbe(text []byte, kind string) (Source, error) {
	var p probed
	if err := parseProbe(text, &p); err != nil {
		return Source{}, err
	}
	s := Source{Path: "a"}
	return s, p.fill(&s, kind)
}

// ParseSilences reads what silencedetect says.
func ParseSilences(said string, duration float64) []Span { return parseSilences(said, duration) }

// ParseLoudness reads what loudnorm says.
func ParseLoudness(said string) (Loudness, error) { return parseLoudness(said) }
