package mediacore

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/reading"
)

type subtitlesIn struct {
	reading.Source
	Video  *value.Media `port:"video,optional,deferred" media:"video" doc:"A video whose file has some."`
	Stream int          `port:"stream" default:"0" doc:"Which of those in a video."`
}

type subtitlesOut struct {
	Captions []media.Caption `port:"captions" doc:"What is said, and when."`
	Language *string         `port:"language" doc:"Their language, if a video tells it."`
}

// subtitleTimes is how much memory reading subtitles takes, as a multiple of their size.
const subtitleTimes = 6

func (c *core) subtitlesRead() node.Node {
	return reading.Node(rendering(c, "media.subtitles_read", "Read subtitles", func(w work, in subtitlesIn) (subtitlesOut, error) {
		if in.Video != nil {
			return w.subtitlesOf(*in.Video, in.Stream)
		}
		if w.Files == nil && in.Path != nil {
			return subtitlesOut{}, node.Errorf(node.CodeForbidden, "workflows may not use files here")
		}
		input, err := in.Whole(w.ctx, w.Files, subtitleTimes)
		if err != nil {
			return subtitlesOut{}, err
		}
		notes := reading.NotesOf(w.ctx)
		text, err := input.Text(notes, "")
		if err != nil {
			return subtitlesOut{}, err
		}
		captions, err := media.ReadSubtitles(text, notes)
		return subtitlesOut{Captions: captions}, err
	}).Aliases("captions, srt, vtt, ass, parse", "untertitel lesen").Example(map[string]any{"text": "1\n00:00:01,000 --> 00:00:02,500\nHello"}).Doc(
		"Reads subtitles of the formats SRT, WebVTT and ASS from a text, a file, bytes in base64, or a video. The encoding is found.\n\n"+
			"Markup is removed. Empty lines, numbers and hours may be missing, and fractions may have a comma or a dot. Captions may overlap, and stay in the order of the file. "+
			"One that ends before it begins, or whose times cannot be read, is dropped: that fails the node unless `warnings` is wired or `strict` is false. "+
			"Captions without text are left out.\n\nExample: `path` = `film.srt`."), "path", "text", "base64", "video")
}

func (w work) subtitlesOf(m value.Media, stream int) (subtitlesOut, error) {
	r, err := w.recipe(m)
	if err != nil {
		return subtitlesOut{}, err
	}
	captions, language, err := w.Subtitles(w.ctx, &r, stream)
	out := subtitlesOut{Captions: captions}
	if language != "" {
		out.Language = &language
	}
	return out, err
}

type subtitlesWriteIn struct {
	Captions    []media.Caption `port:"captions" doc:"What is said, and when."`
	Format      string          `port:"format" enum:"srt|vtt|ass" default:"srt" doc:"SRT is read by nearly all players, WebVTT by browsers; ASS has a style."`
	StyleConfig *media.Style    `port:"style_config,optional" doc:"What they look like in ASS, from media.caption_style, for pictures of 1280 × 720."`
	OffsetMs    float64         `port:"offset_ms" default:"0" doc:"By how much they come later; less than 0 is earlier."`
}

type textOut struct {
	Text string `port:"text" doc:"What a file of them has."`
}

func (c *core) subtitlesWrite() node.Node {
	return node.Func("media.subtitles_write", "Write subtitles", func(_ context.Context, in subtitlesWriteIn) (textOut, error) {
		style := media.DefaultStyle()
		if in.StyleConfig != nil {
			style = *in.StyleConfig
		}
		spans, err := media.SpansOf(in.Captions, in.OffsetMs)
		if err != nil {
			return textOut{}, err
		}
		text, err := media.WriteSubtitles(spans, in.Format, style)
		return textOut{text}, err
	}).Pure().Aliases("captions, srt, vtt, ass, export", "untertitel schreiben").Example(map[string]any{
		"captions": []any{map[string]any{"text": "Hello", "start_ms": 1000, "end_ms": 2500}},
	}).Doc("Makes the text of a file of subtitles, for `file.write`.\n\nExample: `format` = `vtt`.")
}

type arrangeIn struct {
	Captions []media.Caption `port:"captions" default:"[]" doc:"What is said, and when."`
	Words    []media.Word    `port:"words" default:"[]" doc:"The same word by word, from media.speech_to_text, which is more exact."`
	MaxChars int             `port:"max_chars" default:"42" doc:"How many letters a line may have."`
	MaxLines int             `port:"max_lines" default:"2" doc:"How many lines a caption may have."`
	MaxMs    float64         `port:"max_ms" default:"6000" doc:"How long one may be shown."`
	OffsetMs float64         `port:"offset_ms" default:"0" doc:"By how much they come later; less than 0 is earlier."`
}

type captionsOut struct {
	Captions []media.Caption `port:"captions" doc:"Captions that can be read."`
}

func (c *core) captionsArrange() node.Node {
	return node.Func("media.captions_arrange", "Arrange captions", func(_ context.Context, in arrangeIn) (captionsOut, error) {
		if in.MaxChars < 1 || in.MaxChars > 1000 || in.MaxLines < 1 || in.MaxLines > 20 || in.MaxMs < 100 {
			return captionsOut{}, node.Errorf(node.CodeInvalidInput, "max_chars is from 1 to 1000, max_lines from 1 to 20, and max_ms 100 or more")
		}
		groups := [][]media.Word{in.Words}
		if len(in.Words) == 0 {
			groups = media.WordsOf(in.Captions)
		}
		layout := media.Layout{Chars: in.MaxChars, Lines: in.MaxLines, Longest: in.MaxMs}
		var made []media.Caption
		for _, words := range groups {
			made = append(made, layout.Arrange(words)...)
		}
		spans, err := media.SpansOf(made, in.OffsetMs)
		out := captionsOut{Captions: make([]media.Caption, len(spans))}
		for i, s := range spans {
			out.Captions[i] = media.Caption{Text: s.Text, StartMs: ms(s.Start), EndMs: ms(s.End)}
		}
		return out, err
	}).Pure().Aliases("line breaks, wrap, subtitles", "untertitel umbrechen").Example(map[string]any{
		"captions": []any{map[string]any{"text": "A long sentence that nobody reads in one line at once.", "start_ms": 0, "end_ms": 4000}}, "max_chars": 20,
	}).Doc("Makes captions of a length that can be read: of few lines, ending with sentences and pauses.\n\nExample: `max_chars` = `32` for upright videos.")
}
