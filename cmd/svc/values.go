package main

import (
	"fmt"
	"strings"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// assignment is a value on the command line: name=value. Everything behind the
// first "=" is the value.
type assignment struct{ name, text string }

func parseAssignment(flag, arg string) (assignment, error) {
	name, text, ok := strings.Cut(arg, "=")
	if !ok || name == "" {
		return assignment{}, usagef("--%s %s: write it as NAME=VALUE", flag, arg)
	}
	return assignment{name, text}, nil
}

// inputs reads the values of --input and --input-file for the given ports. give makes media of
// a file that is named.
func (c *runCmd) inputs(h *host, ports []node.Port, give giver) (map[string]any, error) {
	given := map[string]any{}
	add := func(flag, name, text string) (err error) {
		if _, twice := given[name]; twice {
			return usagef("the input %q is given twice", name)
		}
		if given[name], err = parseValue(portType(ports, name), text); err != nil {
			return usagef("--%s %s: %w", flag, name, err)
		}
		return nil
	}
	for _, arg := range c.Input {
		a, err := parseAssignment("input", arg)
		file, isFile := strings.CutPrefix(a.text, "@")
		switch t := portType(ports, a.name); {
		case err != nil:
		case isFile && t.Kind() == value.KindMedia:
			err = add("input", a.name, "null") // which finds what is given twice
			if err == nil {
				given[a.name], err = mediaOf(t, file, give)
			}
		case isFile && t.Kind() == value.KindList && t.Elem().Kind() == value.KindMedia:
			err = addMedia(given, a.name, t.Elem(), file, give)
		default:
			err = add("input", a.name, a.text)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, arg := range c.InputFile {
		a, err := parseAssignment("input-file", arg)
		if err != nil {
			return nil, err
		}
		text, err := h.read(a.text)
		if err == nil {
			err = add("input-file", a.name, string(text))
		}
		if err != nil {
			return nil, err
		}
	}
	return given, nil
}

// overrides reads the values of --override.
func (c *runCmd) overrides(a *app.App, def *workflow.Definition) (map[string]map[string]any, error) {
	all := map[string]map[string]any{}
	for _, arg := range c.Override {
		o, err := parseAssignment("override", arg)
		if err != nil {
			return nil, err
		}
		dot := strings.LastIndexByte(o.name, '.') // a node's id may hold dots, a port's name never does
		if dot < 1 {
			return nil, usagef("--override %s: write it as NODE.PORT=VALUE", arg)
		}
		id, port := o.name[:dot], o.name[dot+1:]
		v, err := parseValue(configType(a, def, id, port), o.text)
		if err != nil {
			return nil, usagef("--override %s: %w", o.name, err)
		}
		if all[id] == nil {
			all[id] = map[string]any{}
		}
		all[id][port] = v
	}
	return all, nil
}

// parseValue reads a value for a port of type t. Text is taken as it is; every
// other type is written as JSON. Where any value may come, text that is no JSON
// is a string.
func parseValue(t value.Type, text string) (any, error) {
	switch t.Kind() {
	case value.KindString, value.KindEnum, value.KindCredential:
		return text, nil
	}
	v, err := value.Decode([]byte(text))
	switch {
	case err == nil:
		return v, nil
	case t.Kind() == value.KindAny:
		return text, nil
	}
	return nil, fmt.Errorf("%q is no JSON, and the type is %s", oneLine(text), t)
}

// portType returns the type of the port of that name, any if there is none: the
// engine says best what is wrong then.
func portType(ports []node.Port, name string) value.Type {
	for i := range ports {
		if ports[i].Name == name {
			return ports[i].Type
		}
	}
	return value.Any()
}

// configType returns the type of a node's port as its node type declares it.
func configType(a *app.App, def *workflow.Definition, id, port string) value.Type {
	for i := range def.Nodes {
		if def.Nodes[i].ID != id {
			continue
		}
		if spec, ok := a.NodeType(def.Nodes[i].Type); ok {
			return portType(spec.Inputs, port)
		}
	}
	return value.Any()
}
