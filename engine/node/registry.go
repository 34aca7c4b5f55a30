package node

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// Plugin adds node types to a registry (docs/design.md, Node types).
type Plugin interface {
	Install(r *Registrar)
}

// Named is implemented by plugins with an explicit name. For other plugins, the part before
// the dot of each registered type is the name.
type Named interface {
	PluginName() string
}

// Node is a node type with its implementation. Build one with [Func], or from a
// Spec and a [Bind].
type Node struct {
	Spec Spec
	Bind Bind
	// Choose returns the choices for inputs with [Port.Choices]; nil if there are none.
	Choose Chooser

	err error // why construction failed; reported by NewRegistry
}

// Broken returns n such that [NewRegistry] reports err. Plugins use it for problems found
// during construction, such as an unsuitable library. A nil err changes nothing.
func (n Node) Broken(err error) Node {
	n.err = errors.Join(n.err, err)
	return n
}

// Bundle is the usual plugin: a named list of nodes that share category and card.
type Bundle struct {
	Name     string
	Category string // for nodes without one
	Card     Card   // for nodes without one
	Nodes    []Node
}

// PluginName implements [Named].
func (b Bundle) PluginName() string { return b.Name }

// Install implements [Plugin].
func (b Bundle) Install(r *Registrar) {
	for _, n := range b.Nodes {
		if n.Spec.Category == "" {
			n.Spec.Category = b.Category
		}
		if n.Spec.Card == (Card{}) {
			n.Spec.Card = b.Card
		}
		r.Register(n)
	}
}

// Registrar collects what plugins register. It collects all mistakes, too; [NewRegistry]
// reports them together.
type Registrar struct {
	plugin    string // name of the plugin being installed; "" if it has none
	specs     map[string]*Node
	executors map[string]Executor
	errs      []error
}

// RegisterSpec declares a node type. Its executor must also be registered.
func (r *Registrar) RegisterSpec(s Spec) { r.Register(Node{Spec: s}) }

// RegisterExecutor sets the implementation of the node type typ.
func (r *Registrar) RegisterExecutor(typ string, e Executor) {
	if _, twice := r.executors[typ]; twice {
		r.fail("node type %q has two executors", typ)
		return
	}
	r.executors[typ] = e
}

// Register adds a node type with its implementation.
func (r *Registrar) Register(n Node) {
	if n.err != nil {
		r.fail("node type %q: %w", n.Spec.Type, n.err)
		return
	}
	if _, twice := r.specs[n.Spec.Type]; twice {
		r.fail("node type %q is registered twice", n.Spec.Type)
		return
	}
	n.Spec = withDefaults(n.Spec, r.plugin)
	if err := errors.Join(checkSpec(&n.Spec), checkChoices(&n)); err != nil {
		r.fail("node type %q: %w", n.Spec.Type, err)
		return
	}
	n.Spec.Example = n.Spec.completed()
	r.specs[n.Spec.Type] = &n
}

func (r *Registrar) fail(format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf(format, args...))
}

// Registry is the set of node types that workflows may use. It is immutable and
// safe for concurrent use.
type Registry struct {
	byType     map[string]*Node
	types      []string // sorted
	converters []converter
}

// NewRegistry installs plugins in order. Its error lists every bad tag, duplicate type,
// malformed spec and spec without an executor.
//
// The icon of a card may be an SVG document of at most 4 KiB. It consists of shapes (path,
// circle, ellipse, rect, line, polyline, polygon, g) in the colour #ffffff, which is
// replaced by the colour of the context.
func NewRegistry(plugins ...Plugin) (*Registry, error) {
	r := &Registrar{specs: map[string]*Node{}, executors: map[string]Executor{}}
	for _, p := range plugins {
		r.plugin = ""
		if named, ok := p.(Named); ok {
			r.plugin = named.PluginName()
		}
		p.Install(r)
	}
	r.join()
	if err := errors.Join(r.errs...); err != nil {
		return nil, err
	}
	registry := &Registry{byType: r.specs, types: slices.Sorted(maps.Keys(r.specs))}
	registry.converters = convertersOf(registry.Specs())
	return registry, nil
}

// join connects specs and executors.
func (r *Registrar) join() {
	for _, typ := range slices.Sorted(maps.Keys(r.specs)) {
		n := r.specs[typ]
		e, ok := r.executors[typ]
		switch {
		case n.Bind == nil && !ok:
			r.fail("node type %q has no executor", typ)
		case n.Bind != nil && ok:
			r.fail("node type %q has two executors", typ)
		case ok:
			n.Bind = Static(n.Spec.Inputs, n.Spec.Outputs, fromMaps(&n.Spec, e))
		}
	}
	for _, typ := range slices.Sorted(maps.Keys(r.executors)) {
		if _, ok := r.specs[typ]; !ok {
			r.fail("executor for node type %q has no spec", typ)
		}
	}
}

// Lookup returns the node type typ.
func (r *Registry) Lookup(typ string) (*Node, bool) {
	n, ok := r.byType[typ]
	return n, ok
}

// Specs returns all specs, sorted by type. The caller may keep the slice.
func (r *Registry) Specs() []*Spec {
	specs := make([]*Spec, len(r.types))
	for i, typ := range r.types {
		specs[i] = &r.byType[typ].Spec
	}
	return specs
}

func withDefaults(s Spec, plugin string) Spec {
	if plugin == "" {
		plugin, _, _ = strings.Cut(s.Type, ".")
	}
	s.plugin = plugin
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	if s.Category == "" {
		s.Category = plugin
	}
	if s.Label == "" {
		s.Label = s.Type
	}
	if s.Card == (Card{}) {
		s.Card = Card{Shape: "card", Color: "#64748B"}
	}
	s.Inputs, s.Outputs = slices.Clone(s.Inputs), slices.Clone(s.Outputs)
	return s
}

var (
	typePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_]*)+$`)
	portPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func checkSpec(s *Spec) error {
	var errs []error
	if !typePattern.MatchString(s.Type) {
		errs = append(errs, errors.New(`a type is a plugin's word, a dot and a snake_case name, such as "text.format"`))
	}
	if s.Timeout < 0 {
		errs = append(errs, errors.New("negative timeout"))
	}
	if s.Loop != nil && !s.Container {
		errs = append(errs, errors.New("only a container has a loop"))
	}
	errs = append(errs, s.checkTrigger(), s.Card.check(), checkPorts("input", s.Inputs), checkPorts("output", s.Outputs))
	return errors.Join(errs...)
}

// checkChoices checks that inputs with choices and a Chooser occur together.
func checkChoices(n *Node) error {
	declared := slices.ContainsFunc(n.Spec.Inputs, func(p Port) bool { return p.Choices })
	switch {
	case declared && n.Choose == nil:
		return errors.New("an input has choices, and nothing tells them")
	case !declared && n.Choose != nil:
		return errors.New("there are choices, and no input for them")
	}
	return nil
}

func checkPorts(side string, ports []Port) error {
	var errs []error
	seen := map[string]bool{}
	for i := range ports {
		p := &ports[i]
		if !portPattern.MatchString(p.Name) {
			errs = append(errs, fmt.Errorf("%s %q: a port's name is an identifier", side, p.Name))
		}
		if seen[p.Name] {
			errs = append(errs, fmt.Errorf("%s %q stands twice", side, p.Name))
		}
		seen[p.Name] = true
		if p.Default == nil {
			continue
		}
		v, err := value.Conform(p.Default, p.Type)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %q: default: %w", side, p.Name, err))
		}
		p.Default = v
	}
	return errors.Join(errs...)
}
