package media

import (
	"context"
	"math"
	"regexp"
	"strconv"
)

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

// parseSilences reads what silencedetect says. What does not end lasts to the end.
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

// Between returns what is left of a time when silences are taken out of it, but for a margin
// at each end of them.
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
		if to-from < 0.05 { // not worth a cut
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
