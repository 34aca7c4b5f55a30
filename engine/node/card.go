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
	// Icon is the name of an icon built into editors, such as "mail", or an SVG document
	// supplied by the plugin; see [NewRegistry].
	Icon string `json:"icon"`
}

// Limits of icons. Names are those of the editors' icon files.
const (
	maxIcon     = 4 << 10
	iconPattern = `^[a-z][a-z0-9-]{0,31}$`
)

var iconName = regexp.MustCompile(iconPattern)

// Drawn reports whether the icon is an SVG document supplied by the plugin.
func (c *Card) Drawn() bool { return strings.HasPrefix(c.Icon, "<svg") }

// check accepts the name of an icon, or an SVG document that consists of shapes only and
// can be shown in any colour.
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

// checkShape checks one element of an SVG document.
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
			if a.Value != "none" && a.Value != "#ffffff" { // white is replaced by the colour of the context
				return fmt.Errorf("%s=%q: a drawing has the colour #ffffff, or none", a.Name.Local, a.Value)
			}
		default:
			return fmt.Errorf("<%s> may not have the attribute %q", e.Name.Local, a.Name.Local)
		}
	}
	return nil
}

// Figure is a metric that a plugin exports for monitoring.
type Figure struct {
	// Name is the metric's name, such as svc_media_renders_total. A name that ends with
	// _total is a counter; others are gauges.
	Name string
	Help string
	// Label and Is are the name and value of the label that distinguishes figures of the
	// same name; "" if there is only one. The number of values must be small and must not
	// depend on workflows.
	Label, Is string
	Value     float64
}

// Measured is implemented by plugins that export metrics. Figures may be called at any time
// and concurrently.
type Measured interface {
	Figures() []Figure
}

// Shows describes the value that a node exists to display, and how. The zero value means
// that it displays nothing.
type Shows struct {
	Port string `json:"port"` // the input that receives the value and the output of the same name that emits it
	// Kind is how the value is shown, unless the input named by As overrides it.
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
