package main

import (
	"fmt"
	"strings"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine"
)

// oneLine makes s fit a line of a terminal: text from elsewhere must not move the
// cursor or change colours.
func oneLine(s string) string { return program.Inert(strings.TrimSpace(s)) }

// problemText words a problem: "code: node.port: message (hint)".
func problemText(p *engine.ValidationError) string {
	parts := []string{p.Code}
	place := p.NodeID
	if p.Port != "" && place != "" {
		place += "."
	}
	if place += p.Port; place != "" {
		parts = append(parts, place)
	}
	text := strings.Join(append(parts, p.Message), ": ")
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return oneLine(text)
}

// hintText words a hint: `node "b", input "body": message`.
func hintText(hint engine.Hint) string {
	var place string
	if hint.NodeID != "" {
		place = fmt.Sprintf("node %q", hint.NodeID)
		if hint.Port != "" {
			place += fmt.Sprintf(", input %q", hint.Port)
		}
		place += ": "
	}
	return oneLine(place + hint.Message)
}
