package pdf

import (
	"github.com/svcflow/svc/nodes/data/pdf/object"
)

// begin begins marked content: it may belong to a layer that is hidden, or have a text that
// replaces what is drawn.
func (w *writer) begin(args []any, resources object.Dict) {
	m := mark{}
	if len(args) > 1 {
		tag, _ := args[0].(object.Name)
		properties := args[len(args)-1]
		if name, is := properties.(object.Name); is {
			properties = w.file.Dict(resources["Properties"])[name]
		}
		if tag == "OC" {
			m.hides = w.hides(properties)
		} else if text, is := w.file.Resolve(w.file.Dict(properties)["ActualText"]).(object.String); is {
			clear := clean(object.Text(text))
			m.text = &clear
		}
	}
	if m.hides {
		w.hidden++
	}
	if m.text != nil {
		w.replaced++
	}
	if len(w.marks) < maxMarks {
		w.marks = append(w.marks, m)
	}
}

func (w *writer) end() {
	n := len(w.marks)
	if n == 0 {
		return
	}
	m := w.marks[n-1]
	w.marks = w.marks[:n-1]
	if m.hides {
		w.hidden--
	}
	if m.text != nil {
		if w.replaced--; w.replaced == 0 && m.drawn {
			m.first.Text = *m.text
			w.page.Add(&m.first)
		}
	}
}

// hides reports whether a layer (optional content) is not shown.
func (w *writer) hides(o any) bool {
	if o == nil {
		return false
	}
	if ref, is := o.(object.Ref); is && w.layers[ref] {
		return true
	}
	d := w.file.Dict(o)
	if w.file.Name(d["Type"]) != "OCMD" {
		return false
	}
	groups, is := d["OCGs"].(object.Array)
	if !is {
		if groups = w.file.Array(d["OCGs"]); groups == nil && d["OCGs"] != nil {
			groups = object.Array{d["OCGs"]}
		}
	}
	hidden := 0
	for _, g := range groups {
		if ref, is := g.(object.Ref); is && w.layers[ref] {
			hidden++
		}
	}
	switch w.file.Name(d["P"]) {
	case "AllOn":
		return hidden > 0
	case "AnyOff":
		return len(groups) > 0 && hidden == 0
	case "AllOff":
		return hidden < len(groups)
	}
	return len(groups) > 0 && hidden == len(groups)
}
