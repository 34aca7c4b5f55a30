package mediacore

import (
	"cmp"

	"github.com/go-json-experiment/json"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type comparisonIn struct {
	ImageA      value.Media    `port:"image_a,deferred" media:"image" doc:"The first picture."`
	ImageB      value.Media    `port:"image_b,deferred" media:"image" doc:"The second picture."`
	LabelA      string         `port:"label_a" doc:"What is written on the first one."`
	LabelB      string         `port:"label_b" doc:"What is written on the second one."`
	Caption     string         `port:"caption" default:"" doc:"What is written below both."`
	Mascot      *value.Media   `port:"mascot,optional,deferred" media:"image" doc:"A small picture in the corner at the bottom."`
	StyleConfig map[string]any `port:"style_config" default:"{}" doc:"What it looks like, any of: background_color, label_color, label_background, caption_color, font_family, label_size, caption_size, gap."`
	Width       int            `port:"width" default:"720" doc:"The width of the result."`
	Height      int            `port:"height" default:"1280" doc:"Its height; in high ones the pictures are below each other."`
}

// look is the style of a comparison.
type look struct {
	Background      string `json:"background_color"`
	LabelColor      string `json:"label_color"`
	LabelBackground string `json:"label_background"`
	CaptionColor    string `json:"caption_color"`
	Font            string `json:"font_family"`
	LabelSize       int    `json:"label_size"`
	CaptionSize     int    `json:"caption_size"`
	Gap             int    `json:"gap"`
}

func lookOf(config map[string]any) (look, error) {
	l := look{"#111827", "#FFFFFF", "#000000A0", "#FFFFFF", "Sans", 42, 36, 24}
	text, err := json.Marshal(config)
	if err == nil {
		err = json.Unmarshal(text, &l, json.RejectUnknownMembers(true))
	}
	if err != nil || l.Gap < 0 || l.Gap > 1000 {
		return l, node.Errorf(node.CodeInvalidInput, "style_config has a field that there is not, or one that is of another kind; it takes background_color, label_color, "+
			"label_background, caption_color and font_family, which are texts, and label_size, caption_size and gap (up to 1000), which are whole numbers")
	}
	return l, nil
}

func (c *core) comparison() node.Node {
	return deferring(c, "media.comparison_layout", "Comparison", "image", compare).
		Aliases("before and after, side by side, versus", "vergleich, vorher nachher").Example(map[string]any{"label_a": "Before", "label_b": "After"}).Doc(
		"Puts two pictures beside or below each other, with a text on each and one below both.\n\nExample: `label_a` = `Before`, `label_b` = `After`, `width` = `1280`, `height` = `720`.")
}

func compare(w work, in comparisonIn) (imageOut, error) {
	l, err := lookOf(in.StyleConfig)
	if err != nil {
		return imageOut{}, err
	}
	d := drawing{w: w, look: l}
	d.canvas(in.Width, in.Height, l.Background)
	foot := 0 // height of the strip below both pictures
	if in.Caption != "" || in.Mascot != nil {
		foot = max(in.Height/6, 2)
	}
	across, down := in.Width-2*l.Gap, (in.Height-foot-3*l.Gap)/2
	x, y := l.Gap, 2*l.Gap+down
	if in.Width > in.Height {
		across, down = (in.Width-3*l.Gap)/2, in.Height-foot-2*l.Gap
		x, y = 2*l.Gap+across, l.Gap
	}
	if across < 16 || down < 16 {
		return imageOut{}, node.Errorf(node.CodeInvalidInput, "there is no room for two pictures; make width and height bigger, or the gap smaller")
	}
	d.panel(in.ImageA, in.LabelA, l.Gap, l.Gap, across, down)
	d.panel(in.ImageB, in.LabelB, x, y, across, down)
	if foot > 0 {
		d.foot(in.Caption, in.Mascot, in.Width, in.Height, foot)
	}
	if d.err != nil {
		return imageOut{}, d.err
	}
	m, _, err := w.give(d.made)
	return imageOut{m}, err
}

// drawing is a picture on which others are drawn. Its methods do nothing after the first
// error.
type drawing struct {
	w    work
	look look
	made media.Recipe
	err  error
}

func (d *drawing) then(s media.Step, on ...media.Recipe) media.Recipe {
	if d.err != nil {
		return media.Recipe{}
	}
	s.Node = d.w.path()
	made, err := media.Then(s, on...)
	d.err = cmp.Or(d.err, err)
	return made
}

func (d *drawing) plain(width, height int, color string) media.Recipe {
	return d.then(media.Step{Op: "plain", Numbers: map[string]float64{"width": float64(width), "height": float64(height)}, Words: map[string]string{"color": color}})
}

func (d *drawing) canvas(width, height int, color string) { d.made = d.plain(width, height, color) }

// put draws a picture at x, y.
func (d *drawing) put(r media.Recipe, x, y int) {
	d.made = d.then(media.Step{Op: "overlay", Numbers: map[string]float64{
		"x": float64(x), "y": float64(y), "width": float64(r.Facts.Width), "height": float64(r.Facts.Height), "start": 0, "end": 0, "opacity": 1,
	}}, d.made, r)
}

func (d *drawing) load(m value.Media, width, height int) media.Recipe {
	r, err := d.w.recipe(m)
	d.err = cmp.Or(d.err, err)
	return d.then(media.Step{
		Op: "resize", Numbers: map[string]float64{"width": float64(width), "height": float64(height)},
		Words: map[string]string{"fit": "contain", "background": "transparent"},
	}, r)
}

func (d *drawing) panel(m value.Media, label string, x, y, width, height int) {
	r := d.load(m, width, height)
	d.put(d.then(lettering{
		Text: label, Position: "top", Margin: d.look.Gap, FontFamily: d.look.Font, FontSize: d.look.LabelSize,
		Color: d.look.LabelColor, Background: &d.look.LabelBackground,
	}.step(0, 0), r), x, y)
}

// foot draws the caption below both pictures, and the mascot in the corner.
func (d *drawing) foot(caption string, mascot *value.Media, width, height, foot int) {
	text := width - 2*d.look.Gap
	if mascot != nil {
		text -= foot + d.look.Gap
		d.put(d.load(*mascot, foot, foot), width-foot-d.look.Gap, height-foot)
	}
	if caption == "" || d.err != nil {
		return
	}
	d.put(d.then(lettering{
		Text: caption, Position: "center", FontFamily: d.look.Font, FontSize: d.look.CaptionSize, Color: d.look.CaptionColor,
	}.step(0, 0), d.plain(max(2, text), foot, "transparent")), d.look.Gap, height-foot)
}
