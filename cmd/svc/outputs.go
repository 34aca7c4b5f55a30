package main

import (
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

func portNames(ports []node.Port) []string {
	names := make([]string, len(ports))
	for i := range ports {
		names[i] = ports[i].Name
	}
	return names
}

// outputsText words the outputs of a workflow for people: "name: value", in the
// given order. A text is printed as it is, and alone if it is the only output.
func outputsText(outputs map[string]any, order []string) []byte {
	if len(order) == 1 {
		if text, ok := outputs[order[0]].(string); ok {
			return append([]byte(text), '\n')
		}
	}
	var b []byte
	for _, name := range order {
		if v, ok := outputs[name]; ok {
			b = append(append(b, name...), ':')
			b = append(appendOutput(b, v), '\n')
		}
	}
	return b
}

// appendOutput appends v behind "name:"; media as where it is, or how it will be made. A text of several lines gets lines of
// its own.
func appendOutput(b []byte, v any) []byte {
	text, ok := v.(string)
	if d := view.Of(v, view.Wish{Kind: view.Media}); d.Kind == view.Media {
		text, ok = d.Text, true
	}
	switch {
	case !ok:
		return value.Append(append(b, ' '), v)
	case !strings.Contains(text, "\n"):
		return append(append(b, ' '), text...)
	}
	for line := range strings.Lines(text) {
		b = append(append(b, "\n  "...), strings.TrimSuffix(line, "\n")...)
	}
	return b
}
