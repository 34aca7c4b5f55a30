package runview

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/runview/valueview"
)

// peekBytes is the maximum size of a value in [Through.Lines].
const peekBytes = 2 << 10

// Through is the value at a port in a run: the last one, for a node in a loop.
type Through struct {
	Value any
	// Known is false if no value is known.
	Known bool
	Ended bool // the node has ended, so there will be no other value
}

// ThroughPort returns the value at a port of a node.
func ThroughPort(r *record.Recorder, s *Subject, port string, output bool) (t Through) {
	if r == nil {
		return t
	}
	n := r.Node(s.Path)
	if n == nil {
		return t
	}
	t.Ended = n.Over()
	steps := r.Steps(n)
	if len(steps) == 0 {
		return t
	}
	step := steps[len(steps)-1]
	if n.Last != nil && output {
		step = n.Last
	}
	values := outputsOf(s, step)
	if !output {
		values = inputsOf(r, s, step.Path)
	}
	if i := slices.IndexFunc(values, func(g portValue) bool { return g.port == port }); i >= 0 {
		t.Value, t.Known = values[i].value, values[i].known
	}
	return t
}

// InputsAt returns the inputs of a node's last step.
func InputsAt(r *record.Recorder, s *Subject) map[string]any {
	inputs := map[string]any{}
	if n := r.Node(s.Path); n != nil && n.Last != nil {
		for _, g := range inputsOf(r, s, n.Last.Path) {
			if g.known {
				inputs[g.port] = g.value
			}
		}
	}
	return inputs
}

// Lines describes the value in a few lines: its kind and size, and its first 2 KiB. It
// returns none if there is nothing to show.
func (t Through) Lines() []string {
	switch bytes, elided := engine.Elided(t.Value); {
	case !t.Known && t.Ended:
		return []string{lang.L("Nothing went through.")}
	case !t.Known:
		return nil
	case elided:
		return []string{lang.L("Too large to show here: {{.Size}}.", map[string]any{"Size": view.Bytes(bytes)})}
	}
	return append([]string{t.about()}, strings.Split(t.Text(peekBytes), "\n")...)
}

// about returns the kind and size of a value: "12 items · 3 kB".
func (t Through) about() string {
	const most = 10 << 20
	size := view.Bytes(value.Size(t.Value, most))
	if value.Size(t.Value, most) > most {
		size = "> " + view.Bytes(most)
	}
	switch t.Value.(type) {
	case []any, map[string]any:
		return valueview.Brief(t.Value) + " · " + size
	}
	return size
}

// Text returns the value as text, or its first bytes.
func (t Through) Text(most int) string {
	shown := view.Readable(t.Value)
	if s, ok := shown.(string); ok {
		if len(s) > most {
			return strings.ToValidUTF8(s[:most], "") + "…"
		}
		return s
	}
	raw, whole := value.AppendMax(nil, shown, most)
	if whole {
		if indented, ok := value.IndentJSONMax(nil, raw, 2*most); ok {
			return string(indented)
		}
		return string(raw)
	}
	text, _ := value.Preview(shown, most)
	return text
}
