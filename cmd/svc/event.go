package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// eventText words an event for one line; "" if it is not worth one: those of nodes inside
// a container are too many. state is that of the run after the event.
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

// symbol marks a node in its state.
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

// insideText says what has ended in the body of a node; "" if nothing has.
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

// retryText says when a node is tried again, and why.
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

// failureText words a failure: "node: message (code)".
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
