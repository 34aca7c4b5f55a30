package runview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/runview/record"
)

// portValue is a value as a run has it: one of a port of a step, or of the workflow.
type portValue struct {
	port  string
	value any
	known bool
	// source is the path of the step whose output sourcePort is the value; "" for none.
	source     fold.Path
	sourcePort string
}

// inputsOf returns the inputs of a step of a node: the outputs of its sources in the same
// iteration of the loop, else the values of its config or the defaults.
func inputsOf(r *record.Recorder, s *Subject, step fold.Path) []portValue {
	var out []portValue
	for i := range s.Inputs {
		out = append(out, inputOf(r, s, &s.Inputs[i], step))
	}
	return out
}

func inputOf(r *record.Recorder, s *Subject, p *node.Port, step fold.Path) portValue {
	g := portValue{port: p.Name}
	sources := s.Sources[p.Name]
	if len(sources) == 0 {
		if g.value, g.known = s.Config[p.Name]; !g.known {
			g.value, g.known = p.Default, p.Default != nil
		}
		return g
	}
	var values []any
	for _, source := range sources {
		v, path, ok := putOut(r, source, step)
		if ok {
			values, g.source, g.sourcePort = append(values, v), path, source.Port
		}
	}
	switch {
	case len(values) == 0:
	case len(sources) == 1 && (p.Type.Kind() != value.KindList || isList(values[0])):
		g.value, g.known = values[0], true
	default:
		g.value, g.known = values, true
		g.source = "" // there are several
	}
	return g
}

func isList(v any) bool {
	_, list := v.([]any)
	_, elided := engine.Elided(v)
	return list || elided
}

// putOut returns the output of a source in the iteration of step.
func putOut(r *record.Recorder, source Source, step fold.Path) (v any, path fold.Path, ok bool) {
	path = step.Beside(source.ID)
	at := r.Step(path)
	if at == nil {
		return nil, "", false
	}
	v, ok = at.Outputs[source.Port]
	return v, path, ok
}

// outputsOf returns the outputs of a step.
func outputsOf(s *Subject, step *fold.Step) []portValue {
	var out []portValue
	shown := map[string]bool{}
	for _, p := range s.Outputs {
		v, known := step.Outputs[p.Name]
		out = append(out, portValue{port: p.Name, value: v, known: known, source: step.Path, sourcePort: p.Name})
		shown[p.Name] = true
	}
	for _, port := range sortedKeys(step.Outputs) {
		if !shown[port] {
			out = append(out, portValue{port: port, value: step.Outputs[port], known: true, source: step.Path, sourcePort: port})
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// sorted returns the steps of a node, sorted by number.
func sorted(steps []*fold.Step) []*fold.Step {
	slices.SortStableFunc(steps, func(a, b *fold.Step) int { return slices.Compare(a.Path.Rounds(), b.Path.Rounds()) })
	return steps
}

// ordinal returns the number of a step for users, from 1: "4", in nested loops "4.1".
func ordinal(path fold.Path) string {
	var b strings.Builder
	for i, n := range path.Rounds() {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(n + 1))
	}
	return cmp.Or(b.String(), "1")
}
