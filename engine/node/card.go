package node

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/svcflow/svc/engine/value/view"
)

// Card says how an editor draws a node type.
type Card struct {
	Shape string `json:"shape"` // "card" or "circle"
	Size  int    `json:"size"`  // of a circle: its diameter in dp
	Color string `json:"color"` // "#RRGGBB"
	// Icon is the name of a drawing that editors bring along, such as "mail", or a
	// drawing of the plugin's own: a small SVG document; see [NewRegistry].
	Icon string `json:"icon"`
}

// Bounds of a drawing. Names are those of files of the editors.
const (
	maxIcon     = 4 << 10
	iconPattern = `^[a-z][a-z0-9-]{0,31}$`
)

var iconName = regexp.MustCompile(iconPattern)

// Drawn reports whether the icon is a drawing of the plugin's own.
func (c *Card) Drawn() bool { return strings.HasPrefix(c.Icon, "<svg") }

// check refuses an icon that is neither a name nor a drawing that can be shown in any
// colour and holds nothing but shapes.
func (c *Card) check() error {
	if !c.Drawn() {
		if c.Icon != "" && !iconName.MatchString(c.Icon) {
			return errors.New("icon: give the name of a drawing, or an SVG document that begins with <svg")
		}
		return nil
	}
	if len(c.Icon) > maxIcon {
		return fmt.Errorf("icon: the drawing has %d bytes; the limit is %d", len(c.Icon), maxIcon)
	}
	d := xml.NewDecoder(strings.NewReader(c.Icon))
	shapes := 0
	for {
		token, err := d.Token()
		switch token := token.(type) {
		case xml.StartElement:
			if err := checkShape(token); err != nil {
				return fmt.Errorf("icon: %w", err)
			}
			shapes++
		case xml.ProcInst, xml.Directive:
			return errors.New("icon: a drawing holds elements only")
		}
		switch {
		case errors.Is(err, io.EOF) && shapes > 1:
			return nil
		case errors.Is(err, io.EOF):
			return errors.New("icon: the drawing holds no shape")
		case err != nil:
			return fmt.Errorf("icon: %w", err)
		}
	}
}

// checkShape judges one element of a drawing.
func checkShape(e xml.StartElement) error {
	switch e.Name.Local {
	case "svg", "g", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon":
	default:
		return fmt.Errorf("<%s> may not be part of a drawing", e.Name.Local)
	}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "xmlns", "width", "height", "viewBox", "d", "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry",
			"transform", "opacity", "fill-rule", "stroke-width", "stroke-linecap", "stroke-linejoin":
		case "fill", "stroke":
			if a.Value != "none" && a.Value != "#ffffff" { // what is white takes the colour of the place
				return fmt.Errorf("%s=%q: a drawing has the colour #ffffff, or none", a.Name.Local, a.Value)
			}
		default:
			return fmt.Errorf("<%s> may not have the attribute %q", e.Name.Local, a.Name.Local)
		}
	}
	return nil
}

// Figure is a number that a plugin counts, for those who watch a service.
type Figure struct {
	// Name is what it is called, such as svc_media_renders_total. One that ends with _total
	// only ever grows; others go up and down.
	Name string
	Help string
	// Label and Is tell figures of the same name apart; "" for the only one. There are a few
	// of them, whatever workflows do.
	Label, Is string
	Value     float64
}

// Measured is implemented by plugins that have figures. They are asked for at any time, and by
// several at once.
type Measured interface {
	Figures() []Figure
}

// Shows says what a node is there to have looked at, and how. Its zero value is that it
// shows nothing.
type Shows struct {
	Port string `json:"port"` // what comes in at this input, and out at the output of that name
	// Kind is how it is shown, unless the input As names a kind.
	Kind view.Kind `json:"kind,omitzero"`
	As   string    `json:"as,omitzero"`
	// Columns is the input that names the columns of a table.
	Columns string `json:"columns,omitzero"`
}

// Wish returns how a node with these inputs wants its value shown.
func (s Shows) Wish(inputs map[string]any) view.Wish {
	w := view.Wish{Kind: s.Kind}
	if as, ok := inputs[s.As].(string); ok && s.As != "" {
		w.Kind = view.Kind(as)
	}
	if columns, ok := inputs[s.Columns].([]any); ok && s.Columns != "" {
		w.Columns = []string{}
		for _, c := range columns {
			if name, ok := c.(string); ok {
				w.Columns = append(w.Columns, name)
			}
		}
	}
	return w
}
