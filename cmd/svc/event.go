package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// eventText returns a line for an event, or "" for events that are not shown, such as the
// many events of nodes inside containers. state is the state of the run after the event.
func eventText(e *engine.Event, state *fold.State) string {
	switch {
	case fold.Path(e.NodeID).Inside():
		return ""
	case e.Name == engine.EventNode:
		return endedText(e, insideText(state.Node(e.NodeID)))
	case e.Name == engine.EventProgress && e.Error != nil:
		return fmt.Sprintf("↻ %s  %s", oneLine(e.NodeID), retryText(e.RetryIn, e.Error))
	case e.Name == engine.EventProgress && e.Message != "":
		return fmt.Sprintf("· %s  %s", oneLine(e.NodeID), oneLine(e.Message))
	}
	return ""
}

func endedText(e *engine.Event, inside string) string {
	parts := []string{symbol(e.Status) + " " + oneLine(e.NodeID)}
	if e.Attempts > 0 {
		parts = append(parts, duration(e.Duration))
	}
	if e.Attempts > 1 {
		parts = append(parts, strconv.Itoa(e.Attempts)+" attempts")
	}
	if inside != "" {
		parts = append(parts, inside)
	}
	if e.Warnings > 0 {
		parts = append(parts, plural(e.Warnings, "warning", "warnings"))
	}
	switch {
	case e.Error != nil && e.Handled:
		parts = append(parts, "handled: "+failureText(e.Error))
	case e.Error != nil:
		parts = append(parts, failureText(e.Error))
	case e.SkippedBecause != nil:
		parts = append(parts, skipText(e.SkippedBecause))
	case e.Status == engine.StatusCancelled:
		parts = append(parts, "cancelled")
	}
	return strings.Join(parts, "  ")
}

// symbol returns the mark for the state of a node.
func symbol(s engine.Status) string {
	switch s {
	case engine.StatusSucceeded:
		return "✓"
	case engine.StatusFailed:
		return "✗"
	case engine.StatusCancelled:
		return "■"
	default:
		return "-"
	}
}

// insideText returns how many nodes have ended in the body of a node; "" if none has.
func insideText(n *fold.Node) string {
	if n == nil {
		return ""
	}
	switch done, failed := n.Inside(); {
	case done == 0:
		return ""
	case failed == 0:
		return fmt.Sprintf("%d inside", done)
	default:
		return fmt.Sprintf("%d inside, %d failed", done, failed)
	}
}

// retryText returns when and why a node is retried.
func retryText(in time.Duration, why *engine.Failure) string {
	return "again in " + duration(in) + ": " + failureText(why)
}

func skipText(s *engine.Skip) string {
	node := strconv.Quote(oneLine(s.NodeID))
	switch s.Reason {
	case "failed":
		return "skipped: " + node + " failed"
	case "disabled":
		return "skipped: " + node + " is disabled"
	}
	return "skipped: nothing came from " + node
}

// failureText formats a failure: "node: message (code)".
func failureText(f *engine.Failure) string {
	text := oneLine(f.Message) + " (" + f.Code + ")"
	if f.NodeID != "" {
		text = oneLine(f.NodeID) + ": " + text
	}
	return text
}

// duration prints d with about three digits.
func duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// transcript prints a line for each node that ends. It is not safe for concurrent use.
type transcript struct {
	out   io.Writer
	state fold.State
}

func (l *transcript) observe(e engine.Event) {
	l.state.Apply(e)
	if text := eventText(&e, &l.state); text != "" {
		_, _ = io.WriteString(l.out, text+"\n") // a run does not fail because nobody can watch it
	}
}

// oneLine makes s safe for one line of a terminal: a text from outside must not move the
// cursor or change colours.
func oneLine(s string) string { return program.Inert(strings.TrimSpace(s)) }

// problemText formats a problem: "code: node.port: message (hint)".
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

// hintText formats a hint: `node "b", input "body": message`.
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

// dash returns "-" for an empty column.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// cell escapes a text for a cell of a Markdown table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// firstSentence returns the first sentence of a description.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	for _, end := range []string{". ", ": "} {
		if before, _, ok := strings.Cut(text, end); ok {
			return before + "."
		}
	}
	return text
}

// moment formats a time in the local zone; "-" for the zero time.
func moment(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return at.Local().Format(time.DateTime)
}

// plural formats a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
