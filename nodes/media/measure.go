package media

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Tags returns the metadata of a probed file.
func (t *Tools) Tags(s Source) map[string]string {
	p, ok := t.probes.Get(probeKey{s.Path, s.Size, s.Time})
	if !ok {
		return nil
	}
	tags := map[string]string{}
	for name, text := range p.Format.Tags {
		if len(tags) < 100 && len(text) <= 4096 {
			tags[strings.ToValidUTF8(name, "")] = strings.ToValidUTF8(text, "")
		}
	}
	return tags
}

// Streams returns the streams of a probed file.
func (t *Tools) Streams(s Source) []any {
	list := []any{}
	p, _ := t.probes.Get(probeKey{s.Path, s.Size, s.Time})
	for i := range p.Streams {
		v := &p.Streams[i]
		one := map[string]any{"kind": v.Type, "codec": v.Codec, "language": strings.ToValidUTF8(v.Tags["language"], "")}
		switch v.Type {
		case "video":
			one["width"], one["height"], one["fps"] = v.Width, v.Height, rateOf(v.Average).Float()
		case "audio":
			one["sample_rate"], _ = strconv.Atoi(v.Samples)
			one["channels"] = v.Channels
		}
		list = append(list, one)
	}
	return list
}

// Chapters returns the chapters of a probed file.
func (t *Tools) Chapters(s Source) (list []Span) {
	p, _ := t.probes.Get(probeKey{s.Path, s.Size, s.Time})
	for i := range p.Chapters {
		c := &p.Chapters[i]
		list = append(list, Span{seconds(c.Start), seconds(c.End), strings.ToValidUTF8(c.Tags.Title, "")})
	}
	return list
}

// IsTag reports whether a text is a valid name of a metadata field.
func IsTag(name string) bool {
	return len(name) <= 64 && value.IsIdentifier(name)
}

// Other returns the recipe of a file with the given one of its audio streams.
func (t *Tools) Other(ctx context.Context, r Recipe, stream int) (Recipe, error) {
	s := r.Sources[0]
	p, ok := t.probes.Get(probeKey{s.Path, s.Size, s.Time})
	if !ok {
		again, err := t.Probe(ctx, s.Path, s.Facts.Kind)
		if err != nil {
			return r, err
		}
		p, _ = t.probes.Get(probeKey{again.Path, again.Size, again.Time})
	}
	at := -1
	for i, n := 0, 0; i < len(p.Streams); i++ {
		if p.Streams[i].Type != "audio" {
			continue
		}
		if n == stream {
			at = i
		}
		n++
	}
	if at < 0 {
		return r, coded(codeNoAudio, "%q has no sound of the number %d", s.Path, stream)
	}
	s.Stream = stream
	p.fillSound(&s, at)
	return Of(s), nil
}

// Loudness has the measurements of the first pass of normalizing.
type Loudness struct{ Integrated, Peak, Range, Threshold, Offset float64 }

// Loudness measures perceived loudness (EBU R 128).
func (t *Tools) Loudness(ctx context.Context, r *Recipe, target, peak float64) (Loudness, error) {
	if !r.Facts.hasSound() {
		return Loudness{}, silent()
	}
	if target < -70 || target > -5 || peak < -9 || peak > 0 {
		return Loudness{}, refused("target_lufs is from -70 to -5, and peak_db from -9 to 0")
	}
	text, err := t.listen(ctx, r, "loudnorm=I="+num(target)+":TP="+num(peak)+":print_format=json")
	if err != nil {
		return Loudness{}, err
	}
	return parseLoudness(text)
}

func parseLoudness(text string) (Loudness, error) {
	from, to := strings.LastIndexByte(text, '{'), strings.LastIndexByte(text, '}')
	var said map[string]string
	if from < 0 || to < from || json.Unmarshal([]byte(text[from:to+1]), &said) != nil {
		return Loudness{}, node.Errorf(codeFailed, "ffmpeg did not say how loud it is")
	}
	var bad error
	read := func(name string) float64 {
		f, err := strconv.ParseFloat(said[name], 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			bad = errors.New(name)
			return 0
		}
		return min(99, max(-99, f))
	}
	l := Loudness{read("input_i"), read("input_tp"), read("input_lra"), read("input_thresh"), read("target_offset")}
	if bad != nil {
		return l, coded(node.CodeInvalidInput, "it is silent, so it cannot be made as loud as others")
	}
	l.Integrated, l.Peak, l.Threshold = min(20, l.Integrated), min(20, l.Peak), min(20, l.Threshold)
	return l, nil
}

// listen runs the sound of a recipe through a filter, and returns the filter's output.
func (t *Tools) listen(ctx context.Context, r *Recipe, filter string) (string, error) {
	heard, err := heardOf(r)
	if err != nil {
		return "", err
	}
	return t.analyse(ctx, &heard, filter)
}

// heardOf returns a recipe of only the sound of another.
func heardOf(r *Recipe) (Recipe, error) {
	if r.Facts.Kind != "video" {
		return *r, nil
	}
	return Then(Step{Op: "extract"}, *r)
}

// tally counts processes, the seconds of media they made, and the time they took.
type tally struct {
	mu                      sync.Mutex
	made, failed, cancelled int
	media, took             float64 // seconds, of successful processes
}

// ended counts a process that made the given seconds of media.
func (t *tally) ended(ctx context.Context, err error, seconds float64, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case err == nil:
		t.made++
		t.media += seconds
		t.took += took.Seconds()
	case ctx.Err() != nil:
		t.cancelled++
	default:
		t.failed++
	}
}

// Figures implements [node.Measured].
func (t *Tools) Figures() []node.Figure {
	const renders, what = "svc_media_renders_total", "Files of media that were made, could not be made, or were cancelled."
	running, waiting := t.renders.load()
	looking, queued := t.looks.load()
	c := &t.tally
	c.mu.Lock()
	defer c.mu.Unlock()
	return []node.Figure{
		{Name: renders, Help: what, Label: "outcome", Is: "made", Value: float64(c.made)},
		{Name: renders, Help: what, Label: "outcome", Is: "failed", Value: float64(c.failed)},
		{Name: renders, Help: what, Label: "outcome", Is: "cancelled", Value: float64(c.cancelled)},
		{Name: "svc_media_running", Help: "Programs that make or look at media.", Value: float64(running + looking)},
		{Name: "svc_media_waiting", Help: "Nodes that wait for a place to make or look at media.", Value: float64(waiting + queued)},
		{Name: "svc_media_made_seconds_total", Help: "Seconds of video and sound that were made.", Value: c.media},
		{Name: "svc_media_render_seconds_total", Help: "Seconds that this took.", Value: c.took},
	}
}
