package runview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/runview/record"
)

// given is a value as a run has it: one of a port of a step, or of the workflow.
type given struct {
	port  string
	value any
	known bool
	// source is the path of the step that put the value out, and at which port; "" if
	// none did.
	source, sourcePort string
}

// inputsOf returns what came into a step of a node: what the sources of its wires put
// out in the same round of the loop, else what its config or its type say.
func inputsOf(r *record.Recorder, s *Subject, step string) []given {
	var out []given
	for i := range s.Inputs {
		out = append(out, inputOf(r, s, &s.Inputs[i], step))
	}
	return out
}

func inputOf(r *record.Recorder, s *Subject, p *node.Port, step string) given {
	g := given{port: p.Name}
	sources := s.Sources[p.Name]
	if len(sources) == 0 {
		if g.value, g.known = s.Config[p.Name]; !g.known {
			g.value, g.known = p.Default, p.Default != nil
		}
		return g
	}
	var values []any
	for _, source := range sources {
		v, path, ok := putOut(r, s, source, step)
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
		g.source = "" // there is more than one
	}
	return g
}

func isList(v any) bool {
	_, list := v.([]any)
	_, elided := record.Elided(v)
	return list || elided
}

// putOut returns what a source on the level of s put out in the round of step.
func putOut(r *record.Recorder, s *Subject, source Source, step string) (v any, path string, ok bool) {
	n := r.Node(beside(s.Path, source.ID))
	if n == nil {
		return nil, "", false
	}
	path = beside(step, source.ID)
	at := n.StepAt(path)
	if at == nil {
		return nil, "", false
	}
	v, ok = at.Outputs[source.Port]
	return v, path, ok
}

// outputsOf returns what a step put out.
func outputsOf(s *Subject, step *record.Step) []given {
	var out []given
	shown := map[string]bool{}
	for _, p := range s.Outputs {
		v, known := step.Outputs[p.Name]
		out = append(out, given{port: p.Name, value: v, known: known, source: step.Path, sourcePort: p.Name})
		shown[p.Name] = true
	}
	for _, port := range sortedKeys(step.Outputs) {
		if !shown[port] {
			out = append(out, given{port: port, value: step.Outputs[port], known: true, source: step.Path, sourcePort: port})
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

// beside returns the path of a node on the same level as another.
func beside(path, id string) string {
	return path[:strings.LastIndexByte(path, '/')+1] + id
}

// sorted returns the steps of a node in order of their numbers.
func sorted(steps []*record.Step) []*record.Step {
	slices.SortStableFunc(steps, func(a, b *record.Step) int { return slices.Compare(numbers(a.Path), numbers(b.Path)) })
	return steps
}

// numbers returns the numbers of the rounds that a step is in: of "loop/3/in/0/fmt" 3
// and 0.
func numbers(path string) (out []int) {
	parts := strings.Split(path, "/")
	for i := 1; i < len(parts); i += 2 {
		n, _ := strconv.Atoi(parts[i])
		out = append(out, n)
	}
	return out
}

// ordinal names a step for people, who count from 1: "4", in a loop of a loop "4.1".
func ordinal(path string) string {
	var b strings.Builder
	for i, n := range numbers(path) {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(strconv.Itoa(n + 1))
	}
	return cmp.Or(b.String(), "1")
}
