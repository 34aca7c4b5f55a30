package media

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Caption is a text and the time in which it is shown.
type Caption struct {
	Text    string  `port:"text" doc:"What is said."`
	StartMs float64 `port:"start_ms" doc:"From when on it is shown."`
	EndMs   float64 `port:"end_ms" doc:"Until when."`
}

// Style is the look of captions.
type Style struct {
	FontFamily       string  `port:"font_family" doc:"The name of a font of the server."`
	FontSize         int     `port:"font_size" doc:"The size of the letters in pixels."`
	TextColor        string  `port:"text_color" doc:"The colour of the letters."`
	BackgroundColor  *string `port:"background_color" doc:"The colour of a box behind them; null is none."`
	OutlineColor     string  `port:"outline_color" doc:"The colour of their edge."`
	OutlineWidth     int     `port:"outline_width" doc:"How wide the edge is in pixels."`
	Shadow           int     `port:"shadow" doc:"How far their shadow is away, in pixels."`
	Bold             bool    `port:"bold" doc:"Whether they are bold."`
	Italic           bool    `port:"italic" doc:"Whether they are slanted."`
	Alignment        string  `port:"alignment" enum:"BottomLeft|BottomCenter|BottomRight|MiddleLeft|MiddleCenter|MiddleRight|TopLeft|TopCenter|TopRight" doc:"Where they stand."`
	MarginHorizontal int     `port:"margin_horizontal" doc:"How many pixels from the sides."`
	MarginVertical   int     `port:"margin_vertical" doc:"How many pixels from the top or the bottom."`
}

// DefaultStyle returns the default style of captions.
func DefaultStyle() Style {
	return Style{
		FontFamily: "Arial", FontSize: 42, TextColor: "#FFFFFF", OutlineColor: "#000000", OutlineWidth: 2, Bold: true,
		Alignment: "BottomCenter", MarginHorizontal: 40, MarginVertical: 60,
	}
}

// Step returns the step that shows captions in this style; its spans are still to be set.
func (s Style) Step() Step {
	background := "transparent"
	if s.BackgroundColor != nil && *s.BackgroundColor != "" {
		background = *s.BackgroundColor
	}
	return Step{
		Op: "captions",
		Numbers: map[string]float64{
			"size": float64(s.FontSize), "outline": float64(s.OutlineWidth), "shadow": float64(s.Shadow),
			"across": float64(s.MarginHorizontal), "down": float64(s.MarginVertical),
		},
		Words: map[string]string{
			"font": s.FontFamily, "color": s.TextColor, "background": background, "edge": s.OutlineColor,
			"bold": yes(s.Bold), "italic": yes(s.Italic), "place": s.Alignment,
		},
	}
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// places9 lists the positions of captions, in the order of their numbers in ASS.
const places9 = "BottomLeft|BottomCenter|BottomRight|MiddleLeft|MiddleCenter|MiddleRight|TopLeft|TopCenter|TopRight"

// captionOp is the operation that shows captions.
func captionOp(name string) (op, bool) {
	if name != "captions" {
		return op{}, false
	}
	return op{
		inputs: [2]int{1, 1}, spans: 20_000,
		numbers: map[string]span{"size": {4, 1000}, "outline": {0, 100}, "shadow": {0, 100}, "across": {0, maxSide}, "down": {0, maxSide}},
		words: map[string]string{
			"font": "font", "color": "color", "background": "color", "edge": "color", "bold": "no|yes", "italic": "no|yes", "place": places9,
		},
		facts: captionFacts, idle: func(s *Step, _ Facts) bool { return len(s.Spans) == 0 },
		picture: func(b *builder, s *Step, out Facts) stream {
			return b.picture(s.In[0]).then(b.named("ass", s) + "=filename=" + b.file(ass(s, out.Width, out.Height)))
		},
	}, true
}

func captionFacts(_ *Step, in []Facts) (Facts, error) {
	if in[0].Kind != "video" {
		return in[0], refused("captions are shown by a video; media.image_text writes on a picture")
	}
	return in[0], nil
}

// ass returns captions as a file of the format ASS, for pictures of a size. Their texts are
// escaped.
func ass(s *Step, width, height int) string {
	border, back := 1, "0x00000080"
	if c := s.color("background"); !strings.HasSuffix(c, "00") {
		border, back = 4, c // opaque box behind all lines
	}
	var text strings.Builder
	fmt.Fprintf(&text, "[Script Info]\nScriptType: v4.00+\nPlayResX: %d\nPlayResY: %d\nWrapStyle: 0\nScaledBorderAndShadow: yes\nYCbCr Matrix: None\n\n", width, height)
	text.WriteString("[V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, " +
		"ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding\n")
	place := 1 + strings.Count(places9[:strings.Index(places9, s.Words["place"])], "|")
	fmt.Fprintf(&text, "Style: Default,%s,%d,%s,%s,%s,%s,%d,%d,0,0,100,100,0,0,%d,%d,%d,%d,%d,%d,%d,1\n\n", s.Words["font"], s.int("size"),
		assColor(s.color("color")), assColor(s.color("color")), assColor(s.color("edge")), assColor(back), assFlag(s.Words["bold"]), assFlag(s.Words["italic"]),
		border, s.int("outline"), s.int("shadow"), place, s.int("across"), s.int("across"), s.int("down"))
	text.WriteString("[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n")
	for i := range s.Spans {
		p := &s.Spans[i]
		fmt.Fprintf(&text, "Dialogue: 0,%s,%s,Default,,0,0,0,,%s\n", assTime(p.Start), assTime(p.End), assText(p.Text))
	}
	return text.String()
}

// assColor converts 0xRRGGBBAA to ASS, which has the opposite order, and transparency instead
// of opacity.
func assColor(c string) string {
	n, _ := strconv.ParseUint(c[8:], 16, 8) // the colour was formatted by colorOf
	return fmt.Sprintf("&H%02X", 255-n) + c[6:8] + c[4:6] + c[2:4]
}

func assFlag(word string) int {
	if word == "yes" {
		return -1
	}
	return 0
}

// assTime formats a time in hundredths of a second, rounded down. The result is never after
// the frame that the caption begins with, so the caption is visible from this frame on.
func assTime(seconds float64) string {
	n := int(math.Floor(seconds*100 + 1e-4))
	return fmt.Sprintf("%d:%02d:%02d.%02d", n/360_000, n/6000%60, n/100%60, n%100)
}

// assText escapes tags in braces, and backslashes.
func assText(text string) string {
	return strings.NewReplacer("\\", "\\\u2060", "{", `\{`, "}", `\}`, "\r\n", `\N`, "\n", `\N`, "\r", `\N`).Replace(text)
}

// SpansOf returns captions as spans of a clip, delayed by offset milliseconds. Captions
// before the beginning are left out.
func SpansOf(captions []Caption, offset float64) ([]Span, error) {
	spans := make([]Span, 0, len(captions))
	for i, c := range captions {
		from, to := c.StartMs+offset, c.EndMs+offset
		switch {
		case math.IsNaN(from) || math.IsNaN(to) || to < from || to > maxSeconds*1000:
			return nil, refused("caption %d is shown from %s to %s ms, which cannot be; it has to end after it begins, and within a day", i+1, num(c.StartMs), num(c.EndMs))
		case to > 0:
			spans = append(spans, Span{max(0, from) / 1000, to / 1000, c.Text})
		}
	}
	return spans, nil
}
