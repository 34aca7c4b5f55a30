package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type nodesCmd struct {
	Type    string `arg:"" optional:"" complete:"type" help:"The node type to explain."`
	Example bool   `help:"Print only the example: a workflow with a node of that type."`

	Markdown bool `help:"Print the reference of all node types, as docs/nodes.md has it."`
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *nodesCmd) Help() string {
	return `Without a type, all node types are listed with their ports: name, ? if it may be left out, ! if it comes from config only, type and default. With one, everything about it is printed, and a workflow to try it.

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

// unknownType suggests the types that may be meant.
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

// firstSentence returns the beginning of a description.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	for _, end := range []string{". ", ": "} {
		if before, _, ok := strings.Cut(text, end); ok {
			return before + "."
		}
	}
	return text
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
	return h.print(fmt.Sprintf("\nEvery node also has the outputs $error: %s, and $done: bool,\nand but for inputs of the workflow, $after, any wires to wait for, and $when: bool, which skips it if false.\nA node of this type may take %s.\n\n"+
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
