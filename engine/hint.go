package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// hints words what to do about problems for which there are node types. The engine
// knows none by name: their specs say what they do.
type hints struct {
	registry   *node.Registry
	containers []string          // all of them
	loops      []string          // those that repeat their body, the ones without a list first
	over       string            // repeats its body for each item of a list
	merge      string            // takes the first of several values
	similar    map[string]string // what to say of types that there are not
}

func newHints(registry *node.Registry) *hints {
	h := &hints{registry: registry, similar: map[string]string{}}
	var overs []string
	for _, s := range registry.Specs() {
		switch {
		case s.Container && s.Loop != nil && s.Loop.Over != "":
			overs = append(overs, s.Type)
		case s.Container && s.Loop != nil:
			h.loops = append(h.loops, s.Type)
		}
		if s.Container {
			h.containers = append(h.containers, s.Type)
		}
		if h.merge == "" && len(s.Inputs) > 0 && !slices.ContainsFunc(s.Inputs, func(p node.Port) bool { return !p.Partial }) {
			h.merge = s.Type
		}
	}
	h.loops = append(h.loops, overs...)
	if len(overs) > 0 {
		h.over = overs[0]
	}
	return h
}

// hint returns what the levels of one Compile share; most need none.
func (c *compiler) hint() *hints {
	if c.hints == nil {
		c.hints = newHints(c.env.Registry)
	}
	return c.hints
}

// maxUnknown is for how many types that there are not a document gets suggestions: each
// costs a look at all types that there are.
const maxUnknown = 100

// unknown suggests what may be meant by a type that there is not.
func (h *hints) unknown(typ string) string {
	const list = "`svc nodes` lists them all"
	hint, ok := h.similar[typ]
	switch {
	case ok:
		return hint
	case len(h.similar) == maxUnknown:
		return list
	}
	hint = list
	if meant := within("did you mean ", node.Similar(h.registry.Specs(), typ)); meant != "" {
		hint = meant + "? " + list
	}
	h.similar[typ] = hint
	return hint
}

// cycle says how to do without a cycle.
func (h *hints) cycle() string {
	return join("remove one of them", within("to repeat nodes, put them into ", h.loops))
}

// twice says how to do with one wire.
func (h *hints) twice() string {
	if h.merge == "" {
		return "remove one"
	}
	return join("remove one", h.merge+" takes the first of several that comes")
}

// body says where a body may be.
func (h *hints) body() string {
	return cmp.Or(within("move the body into ", h.containers), "remove the body")
}

// conversion names the node that turns source into target.
func (h *hints) conversion(source, target value.Type) string {
	from, to := source.Kind(), target.Kind()
	if media, ok := h.media(source, target); ok {
		return media
	}
	if to == value.KindList && from != value.KindList && from != value.KindString {
		to = target.Elem().Kind() // it would be wrapped
	}
	structured := func(k value.Kind) bool { return k == value.KindList || k == value.KindRecord }
	switch {
	case to == value.KindCredential:
		return "a credential is a reference such as \"pronet:main\"; set it in config or wire a string"
	case from == value.KindList && to != value.KindList && h.over != "":
		hint := "put " + h.over + " around the node"
		if whole, ok := h.registry.Converter(from, to); ok {
			hint += ", or " + whole + " between them"
		}
		return hint
	case to == value.KindString && structured(from):
		return h.between(value.KindRecord, to, value.KindList, to)
	case from == value.KindString && structured(to):
		return h.between(from, value.KindRecord, from, value.KindList)
	case to == value.KindEnum:
		return h.between(value.KindAny, value.KindString, 0, 0)
	case from == value.KindList && to == value.KindList: // the items do not fit
		return h.between(value.KindAny, to, 0, 0)
	}
	return h.between(from, to, 0, 0)
}

// media names the node that turns media of one kind into another, alone or in lists.
func (h *hints) media(source, target value.Type) (hint string, ok bool) {
	for source.Kind() == value.KindList {
		source = source.Elem()
	}
	for target.Kind() == value.KindList {
		target = target.Elem()
	}
	if source.Kind() != value.KindMedia || target.Kind() != value.KindMedia {
		return "", false
	}
	if converter, ok := h.registry.MediaConverter(source, target); ok {
		return "put " + converter + " between them", true
	}
	return "", true
}

// between names a converter of one kind into another and, if that is of another
// kind, one for lists.
func (h *hints) between(from, to, listFrom, listTo value.Kind) string {
	converter, ok := h.registry.Converter(from, to)
	if !ok {
		return ""
	}
	hint := "put " + converter + " between them"
	if listFrom == listTo {
		return hint
	}
	if list, ok := h.registry.Converter(listFrom, listTo); ok && list != converter {
		hint += ", or " + list + " for a list"
	}
	return hint
}

// within lists names, the last one behind "or"; "" if there are none.
func within(before string, names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return before + names[0]
	default:
		return before + strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
}

func join(hint, more string) string {
	if more == "" {
		return hint
	}
	return hint + "; " + more
}
