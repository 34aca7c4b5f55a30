package media

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/asticode/go-astisub"

	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/media/cue"
	"github.com/svcflow/svc/nodes/reading"
)

// The limits of a subtitle file, in bytes and captions.
const (
	maxSubtitles = 8 << 20
	maxCaptions  = 20_000
)

// ReadSubtitles parses captions. It detects the format: SRT, WebVTT or ASS. Markup in the
// texts is removed. Captions that cannot be right are noted in notes.
func ReadSubtitles(text string, notes *reading.Notes) (captions []Caption, err error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	start := strings.TrimSpace(text)
	switch {
	case len(text) > maxSubtitles:
		return nil, limited("subtitles have at most 8 MiB")
	case start == "" || start == "WEBVTT":
		return []Caption{}, nil
	case strings.HasPrefix(start, "["):
		return fromASS(text)
	}
	all := cue.Read(text, notes)
	switch {
	case len(all) > maxCaptions:
		return nil, limited("subtitles have at most %d captions", maxCaptions)
	case len(all) == 0 && !strings.HasPrefix(start, "WEBVTT") && len(notes.All()) == 0:
		return nil, unreadable()
	}
	captions = make([]Caption, len(all))
	for i, c := range all {
		captions[i] = Caption{strings.ToValidUTF8(c.Text, "\uFFFD"), c.Start, c.End}
	}
	return captions, nil
}

func fromASS(text string) (captions []Caption, err error) {
	defer func() {
		if recover() != nil { // the library panics on some malformed files
			captions, err = nil, unreadable()
		}
	}()
	all, err := readASS(strings.NewReader(text))
	if err != nil || len(all.Items) == 0 {
		return nil, unreadable()
	}
	return captionsOf(all)
}

// readASS ignores unknown sections and invalid lines, without the library's log messages.
func readASS(r io.Reader) (*astisub.Subtitles, error) {
	return astisub.ReadFromSSAWithOptions(r, astisub.SSAOptions{OnUnknownSectionName: func(string) {}, OnInvalidLine: func(string) {}})
}

func unreadable() error {
	return coded(codeUnreadable, "the subtitles cannot be read; they have to be of the format SRT, WebVTT or ASS")
}

func captionsOf(all *astisub.Subtitles) ([]Caption, error) {
	if len(all.Items) > maxCaptions {
		return nil, limited("subtitles have at most %d captions", maxCaptions)
	}
	captions := []Caption{}
	for _, item := range all.Items {
		var lines []string
		for _, line := range item.Lines {
			if text := strings.TrimSpace(line.String()); text != "" {
				lines = append(lines, text)
			}
		}
		c := Caption{strings.ToValidUTF8(strings.Join(lines, "\n"), "\uFFFD"), millis(item.StartAt), millis(item.EndAt)}
		if c.Text != "" && c.StartMs >= 0 && c.EndMs >= c.StartMs {
			captions = append(captions, c)
		}
	}
	return captions, nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// WriteSubtitles formats captions as srt, vtt or ass; style is for ass.
func WriteSubtitles(spans []Span, format string, style Style) (string, error) {
	switch format {
	case "vtt":
		return webVTT(spans)
	case "ass":
		s := style.Step()
		if s.Spans = spans; len(spans) > maxCaptions {
			return "", limited("subtitles have at most %d captions", maxCaptions)
		}
		s.In = []int{-1}
		if _, err := s.check(); err != nil {
			return "", err
		}
		return ass(&s, 1280, 720), nil
	}
	return srt(spans), nil
}

// srt formats captions as SRT. The library would write HTML entities, which players do not
// decode.
func srt(spans []Span) string {
	var b strings.Builder
	for i := range spans {
		p := &spans[i]
		fmt.Fprintf(&b, "%d\n%s --> %s\n%s\n\n", i+1, srtTime(p.Start), srtTime(p.End), plainLines(p.Text))
	}
	return b.String()
}

func srtTime(seconds float64) string {
	n := int(math.Round(seconds * 1000))
	return fmt.Sprintf("%02d:%02d:%02d,%03d", n/3_600_000, n/60_000%60, n/1000%60, n%1000)
}

// plainLines returns the lines of a text that are not empty. Characters that could be read
// as a tag or a time are made harmless.
func plainLines(text string) string {
	return strings.NewReplacer("<", "<\u2060", "{", "{\u2060", "-->", "->").Replace(strings.Join(lines(text), "\n"))
}

func lines(text string) (all []string) {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

func webVTT(spans []Span) (string, error) {
	if len(spans) == 0 {
		return "WEBVTT\n", nil
	}
	made := astisub.NewSubtitles()
	for i := range spans {
		p := &spans[i]
		at := func(seconds float64) time.Duration { return time.Duration(math.Round(seconds*1000)) * time.Millisecond }
		item := &astisub.Item{StartAt: at(p.Start), EndAt: at(p.End)}
		for _, line := range lines(p.Text) {
			item.Lines = append(item.Lines, astisub.Line{Items: []astisub.LineItem{{Text: strings.ReplaceAll(line, "-->", "->")}}})
		}
		made.Items = append(made.Items, item)
	}
	var out bytes.Buffer
	err := made.WriteToWebVTT(&out)
	return out.String(), err
}

// Subtitles returns the captions of a subtitle stream in a video file, and their language
// if the file has it. Times are relative to the first picture.
func (t *Tools) Subtitles(ctx context.Context, r *Recipe, stream int) (captions []Caption, language string, err error) {
	if len(r.Steps) > 0 || stream < 0 {
		return nil, "", refused("subtitles can be taken from a file only; put this node behind media.video_import")
	}
	s := &r.Sources[0]
	if _, err := t.Probe(ctx, s.Path, s.Facts.Kind); err != nil { // the cached result may have been evicted
		return nil, "", err
	}
	track := t.subtitle(*s, stream)
	if track == nil {
		return nil, "", coded(folder.CodeNotFound, "%q has no subtitles of the number %d", s.Path, stream)
	}
	c := &Command{Inputs: []Input{{Source: 0}}, Facts: s.Facts}
	args := []string{"-copyts", "-map", "0:s:" + strconv.Itoa(stream), "-c:s", "subrip", "-f", "srt", "subtitles"}
	if track.codec == "webvtt" { // copied: a conversion would lose text that looks like tags
		args = []string{"-copyts", "-map", "0:s:" + strconv.Itoa(stream), "-c:s", "copy", "-f", "webvtt", "subtitles"}
	}
	err = t.produce(ctx, c, r, args, func(d *desk) error {
		made, err := os.ReadFile(d.path("subtitles"))
		if err == nil {
			captions, err = ReadSubtitles(string(made), nil)
		}
		return err
	})
	for i := range captions {
		captions[i].StartMs, captions[i].EndMs = max(0, captions[i].StartMs-track.start), max(0, captions[i].EndMs-track.start)
	}
	return captions, track.language, err
}

// track describes a subtitle stream, with the time at which the file's picture begins, in
// milliseconds.
type track struct {
	language, codec string
	start           float64
}

// subtitle returns the description of a stream of a probed file, or nil if there is no such
// stream.
func (t *Tools) subtitle(s Source, stream int) *track {
	p, _ := t.probes.Get(probeKey{s.Path, s.Size, s.Time})
	found := track{}
	if v := p.first("video"); v >= 0 {
		found.start = math.Round(seconds(p.Streams[v].Start) * 1000)
	}
	for i := range p.Streams {
		if p.Streams[i].Type != "subtitle" {
			continue
		}
		if stream == 0 {
			found.language, found.codec = strings.ToValidUTF8(p.Streams[i].Tags["language"], ""), p.Streams[i].Codec
			return &found
		}
		stream--
	}
	return nil
}

// Whisper transcribes speech with ffmpeg's filter whisper and a model file.
func (t *Tools) Whisper(ctx context.Context, r *Recipe, model, language string) ([]Caption, error) {
	if err := t.configured(); err != nil {
		return nil, err
	}
	if strings.ContainsAny(model, `:,;[]'\=`) {
		return nil, coded(codeNotConfigured, "the model has a name that ffmpeg cannot be told")
	}
	if !isWord(language) {
		return nil, refused("the language cannot be %q", brief(language))
	}
	heard, err := heardOf(r)
	if err != nil {
		return nil, err
	}
	c, err := Plan(&heard, Lossless(heard.Facts))
	if err != nil {
		return nil, err
	}
	c.Picture = c.Sound
	c.behind("aresample=16000,aformat=channel_layouts=mono,whisper=model=" + model + ":language=" + language + ":queue=20:destination=heard.srt:format=srt[heard]")
	var said []byte
	err = t.produce(ctx, c, &heard, []string{"-map", "[heard]", "-f", "null", "-"}, func(d *desk) error {
		said, err = os.ReadFile(d.path("heard.srt"))
		if os.IsNotExist(err) { // there is no speech
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return ReadSubtitles(string(said), nil)
}
