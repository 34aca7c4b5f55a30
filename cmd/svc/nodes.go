package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

type nodesCmd struct {
	Type    string `arg:"" optional:"" complete:"type" help:"The node type to explain."`
	Example bool   `help:"Print only the example: a workflow with a node of that type."`

	Markdown bool `help:"Print the reference of all node types, as docs/nodes.md has it."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *nodesCmd) Help() string {
	return `Without a type, lists all node types with their ports: name, ? if it is optional, ! if only config can set it, type and default. With a type, prints its whole description, and a workflow to try it.

Examples:

    svc nodes text.split
    svc nodes text.split --example | svc run -`
}

// Run lists the node types, or explains one.
func (c *nodesCmd) Run(ctx context.Context, h *host) error {
	a, err := h.open(".")
	if err != nil {
		return err
	}
	types, err := a.NodeTypes(ctx)
	if err != nil {
		return err
	}
	if c.Type == "" {
		if c.Example {
			return usagef("--example needs a node type, for example `svc nodes text.split --example`")
		}
		if c.Markdown {
			return h.print(reference(types))
		}
		return c.answer(h, types, nodesText(types))
	}
	spec, ok := a.NodeType(c.Type)
	switch {
	case !ok:
		return unknownType(types, c.Type)
	case c.Example:
		def, err := example(spec, types)
		if err != nil {
			return err
		}
		return h.print(string(def.Format()))
	case c.asJSON():
		return printJSON(h.stdout, spec)
	}
	return explainNode(h, spec, types)
}

// unknownType returns an error that suggests types with similar names.
func unknownType(specs []*node.Spec, typ string) error {
	close := node.Similar(specs, typ)
	if len(close) == 0 {
		return usagef("there is no node type %q; `svc nodes` lists them all", typ)
	}
	return usagef("there is no node type %q; did you mean %s?", typ, strings.Join(close, ", "))
}

// nodesText lists node types with their ports.
func nodesText(specs []*node.Spec) string {
	var b strings.Builder
	for _, s := range specs {
		fmt.Fprintf(&b, "%s  %s\n", s.Type, firstSentence(s.Description))
		fmt.Fprintf(&b, "    %s → %s\n", signature(s.Inputs), signature(s.Outputs))
	}
	return b.String()
}

// signature prints ports on one line.
func signature(ports []node.Port) string {
	if len(ports) == 0 {
		return "()"
	}
	texts := make([]string, len(ports))
	for i := range ports {
		texts[i] = portText(&ports[i])
	}
	return strings.Join(texts, " ")
}

func portText(p *node.Port) string {
	text := p.Name
	if p.Optional && p.Default == nil {
		text += "?"
	}
	if p.Literal {
		text += "!"
	}
	text += ":" + p.Type.String()
	if p.Default != nil {
		text += "=" + string(value.Append(nil, p.Default))
	}
	return text
}

// explainNode prints everything about a node type.
func explainNode(h *host, s *node.Spec, types []*node.Spec) error {
	def, err := example(s, types)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("%s (%s, plugin %s)\n\n%s\n", s.Type, s.Label, s.Plugin(), s.Description)
	if s.Unavailable != "" {
		head += "\nIt cannot do its work here: " + s.Unavailable + "\n"
	}
	if err = h.print(head); err != nil {
		return err
	}
	for _, side := range []struct {
		title string
		ports []node.Port
	}{{"Inputs", s.Inputs}, {"Outputs", s.Outputs}} {
		if err := printPorts(h, side.title, side.ports); err != nil {
			return err
		}
	}
	return h.print(fmt.Sprintf("\nEvery node also has the outputs $error: %s, and $done: bool,\nand all except inputs of the workflow have the inputs $after, for wires to wait for, and $when: bool, which skips the node if false.\nAn attempt may take %s.\n\n"+
		"Example, as `svc nodes %s --example` prints it:\n\n%s",
		node.ErrorType(), s.Timeout, s.Type, def.Format()))
}

func printPorts(h *host, title string, ports []node.Port) error {
	if len(ports) == 0 {
		return nil
	}
	if err := h.print("\n" + title + "\n"); err != nil {
		return err
	}
	w := tabwriter.NewWriter(h.stdout, 0, 0, 2, ' ', 0)
	for i := range ports {
		fmt.Fprintf(w, "  %s\t%s\n", portText(&ports[i]), ports[i].Description) //nolint:errcheck // Flush says it
	}
	return w.Flush()
}

// reference returns the text of docs/nodes.md: the output of `svc nodes TYPE` for all types,
// by plugin.
func reference(specs []*node.Spec) string {
	var b strings.Builder
	b.WriteString("# Node types\n\nMade from the specs of the nodes by `svc nodes --markdown`; do not edit. `svc nodes TYPE` prints one of them, with an example to run.\n\n" +
		"An input takes its wire, else the node's `config`, else its default. A literal input takes config only. " +
		"A type with `?` may be null. Every node also has the outputs `$error` and `$done`, and, unless it is an input of the workflow, the inputs `$after` (any wires that it waits for) and `$when` (false skips it).\n")
	plugin := ""
	for _, s := range specs {
		if s.Plugin() != plugin {
			plugin = s.Plugin()
			fmt.Fprintf(&b, "\n## %s\n", plugin)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", s.Type, s.Description)
		b.WriteString(portTable("input", s.Inputs) + portTable("output", s.Outputs))
		fmt.Fprintf(&b, "\n%s Example: `svc nodes %s --example`.\n", traits(s), s.Type)
	}
	return b.String()
}

// traits describes how a node runs: timeout, retries and so on.
func traits(s *node.Spec) string {
	text := fmt.Sprintf("An attempt may take %s.", s.Timeout)
	if s.Pure {
		text += " Pure: the same inputs give the same outputs."
	}
	const once = " an attempt with an unknown outcome fails with `outcome_unknown`, unless the node has `retry`."
	switch {
	case s.Once:
		text += " Not repeated:" + once
	case s.OnceIf != "":
		text += " Not repeated if " + s.OnceIf + ":" + once
	}
	return text
}

func portTable(side string, ports []node.Port) string {
	if len(ports) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n| %s | type | |\n|---|---|---|\n", side)
	for i := range ports {
		p := &ports[i]
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", p.Name, cell(p.Type.String()), cell(portNotes(side, p)+p.Description))
	}
	return b.String()
}

// portNotes describes how an input gets its value.
func portNotes(side string, p *node.Port) string {
	var notes []string
	switch {
	case side == "output":
		return ""
	case p.Default != nil:
		notes = append(notes, "default `"+string(value.Append(nil, p.Default))+"`")
	case p.Optional:
		notes = append(notes, "optional")
	}
	if p.Literal {
		notes = append(notes, "literal")
	}
	if len(notes) == 0 {
		return ""
	}
	return "*" + strings.Join(notes, ", ") + "* · "
}

// example makes a workflow to try a node type: the example node of its spec, and an output of
// the workflow for each output of the node. types has all node types.
func example(s *node.Spec, types []*node.Spec) (*workflow.Definition, error) {
	i := slices.IndexFunc(types, func(t *node.Spec) bool { return t.Role == node.RoleOutput })
	if i < 0 {
		return nil, fmt.Errorf("no node type is an output of the workflow")
	}
	def := &workflow.Definition{
		ID: "example", Name: s.Label, Connections: []workflow.Connection{},
		Nodes: []workflow.Node{{ID: "node", Type: s.Type, Config: s.Example.Config, Position: &workflow.Position{}}},
	}
	names, err := exampleBody(s, types[i].Type, &def.Nodes[0])
	if err != nil {
		return nil, fmt.Errorf("the example of %s: %w", s.Type, err)
	}
	for _, p := range s.Outputs {
		names = append(names, p.Name)
	}
	for k, name := range names {
		id := "out-" + name
		def.Nodes = append(def.Nodes, workflow.Node{
			ID: id, Type: types[i].Type, Config: map[string]any{"name": name},
			Position: &workflow.Position{X: 320, Y: float64(160 * k)},
		})
		def.Connections = append(def.Connections, workflow.Connection{FromNodeID: "node", FromPort: name, ToNodeID: id, ToPort: "value"})
	}
	return def, nil
}

// exampleBody puts the body of the example of s into n. It returns the names of the outputs
// of that body, which become outputs of n. output is the type of nodes for workflow outputs.
func exampleBody(s *node.Spec, output string, n *workflow.Node) (names []string, err error) {
	if s.Example.Body == nil {
		return nil, nil
	}
	// A body may be without an id, unlike a document.
	text := append([]byte(`{"id":"","nodes":[{"id":"n","type":"t","body":`), value.Append(nil, s.Example.Body)...)
	around, err := workflow.Decode(append(text, `}],"connections":[]}`...), workflow.DefaultLimits())
	if err != nil {
		return nil, err
	}
	n.Body = around.Nodes[0].Body
	for _, inner := range n.Body.Nodes {
		name, _ := inner.Config["name"].(string)
		wired := slices.ContainsFunc(n.Body.Connections, func(c workflow.Connection) bool { return c.ToNodeID == inner.ID })
		if inner.Type == output && wired && (s.Loop == nil || name != s.Loop.While) { // the condition of a loop is not an output of its node
			names = append(names, name)
		}
	}
	return names, nil
}
