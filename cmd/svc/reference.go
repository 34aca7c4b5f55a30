package main

import (
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// reference is docs/nodes.md: what `svc nodes TYPE` prints, for all types, plugin
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

// traits says how a node may be run.
func traits(s *node.Spec) string {
	text := fmt.Sprintf("An attempt may take %s.", s.Timeout)
	if s.Pure {
		text += " Pure: the same inputs give the same outputs."
	}
	const once = " an attempt of which nobody knows how it ended fails with `outcome_unknown`, unless the node has `retry`."
	switch {
	case s.Once:
		text += " Not done twice:" + once
	case s.OnceIf != "":
		text += " Not done twice if " + s.OnceIf + ":" + once
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

// portNotes says how an input gets its value.
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

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
