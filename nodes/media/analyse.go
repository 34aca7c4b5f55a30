package media

import (
	"context"
	"errors"
	"math"
	"os"
	"regexp"
	"strconv"
	"sync"

	"github.com/svcflow/svc/engine/node"
)

// analyse runs a recipe through one more filter, discards the result, and returns the output
// of the filter.
func (t *Tools) analyse(ctx context.Context, r *Recipe, filter string) (string, error) {
	if err := t.configured(); err != nil {
		return "", err
	}
	c, err := Plan(r, Lossless(r.Facts))
	if err != nil {
		return "", err
	}
	if err := t.filters(c.Graph+";"+filter, r); err != nil {
		return "", err
	}
	release, err := t.renders.take(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	d, err := newDesk(t.Scratch)
	if err != nil {
		return "", node.Errorf(node.CodeStorageFull, "there is no place for work files: %w", errors.Unwrap(err))
	}
	defer d.clear()
	said, err := t.say(ctx, d, c, r, filter)
	if err != nil {
		return "", wording(r, err)
	}
	return said, nil
}

// say runs ffmpeg with the filter after all others, and returns the filter's output.
func (t *Tools) say(ctx context.Context, d *desk, c *Command, r *Recipe, filter string) (string, error) {
	from, told, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer from.Close() //nolint:errcheck // opened for reading only
	files, err := t.sources(ctx, c, r)
	defer closeAll(files)
	if err != nil {
		_ = told.Close()
		return "", err
	}
	at := &c.Sound
	if c.Facts.Kind != "audio" {
		at = &c.Picture
	}
	chain := *at
	if chain[0] != '[' {
		chain = "[" + chain + "]"
	}
	if c.Graph != "" {
		c.Graph += ";"
	}
	c.Graph += chain + filter + "[said]"
	*at = "[said]"
	given := append([]*os.File{told}, files...)
	p := process{program: t.ffmpeg, dir: d.dir, files: given, limits: renderLimits(), keep: 8 << 20}
	if p.args, err = t.reading(d, c, given); err != nil {
		_ = told.Close()
		return "", err
	}
	p.args[4] = "level+info"
	p.args = append(p.args, "-map", "[said]", "-f", "null", "-")
	var following sync.WaitGroup
	following.Go(func() { follow(ctx, from, c.Facts.Duration, "looking at it") })
	err = p.run(ctx)
	_ = told.Close() // the last write end, so that the reader ends
	following.Wait()
	return p.said, err
}

// Silences returns when a sound, or that of a video, is quieter than a threshold for a time.
func (t *Tools) Silences(ctx context.Context, r *Recipe, threshold, least float64) ([]Span, error) {
	switch {
	case !r.Facts.hasSound():
		return nil, silent()
	case threshold < -100 || threshold > 0:
		return nil, refused("threshold_db is from -100 to 0")
	case least < 0.01 || least > 3600:
		return nil, refused("min_silence_ms is from 10 to 3600000")
	}
	said, err := t.listen(ctx, r, "silencedetect=noise="+num(threshold)+"dB:d="+num(least))
	if err != nil {
		return nil, err
	}
	return parseSilences(said, r.Facts.Duration), nil
}

// parseSilences parses the output of silencedetect. A silence without an end lasts to the
// end of the sound.
func parseSilences(said string, duration float64) []Span {
	spans := []Span{}
	for _, m := range regexp.MustCompile(`silence_(start|end): (-?[0-9.]+)`).FindAllStringSubmatch(said, -1) {
		at, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue
		}
		at = min(duration, max(0, math.Round(at*1e6)/1e6))
		n := len(spans)
		switch {
		case m[1] == "start" && (n == 0 || at >= spans[n-1].End):
			spans = append(spans, Span{Start: at, End: duration})
		case m[1] == "end" && at > duration-0.05: // the sound may end a little before the picture
		case m[1] == "end" && n > 0 && at >= spans[n-1].Start:
			spans[n-1].End = at
		}
	}
	return spans
}

// Between returns the spans between silences. At both ends of each silence, a margin of it
// is kept.
func Between(silences []Span, duration, margin float64) []Span {
	var kept []Span
	at := 0.0
	for _, s := range silences {
		from, to := s.Start+margin, s.End-margin
		if s.Start <= 0 {
			from = 0
		}
		if s.End >= duration {
			to = duration
		}
		if to-from < 0.05 { // too short for a cut
			continue
		}
		if from > at {
			kept = append(kept, Span{Start: at, End: from})
		}
		at = to
	}
	if at < duration {
		kept = append(kept, Span{Start: at, End: duration})
	}
	return kept
}
