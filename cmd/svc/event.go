package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
)

// eventText words an event for one line; "" if it is not worth one. in is what
// happened inside of the node.
func eventText(e *engine.Event, in inside) string {
	switch {
	case e.Name == engine.EventNode:
		return endedText(e, in)
	case e.Name == engine.EventProgress && e.Error != nil:
		return fmt.Sprintf("↻ %s  again in %s: %s", oneLine(e.NodeID), duration(e.RetryIn), failureText(e.Error))
	case e.Name == engine.EventProgress && e.Message != "":
		return fmt.Sprintf("· %s  %s", oneLine(e.NodeID), oneLine(e.Message))
	}
	return ""
}

func endedText(e *engine.Event, in inside) string {
	parts := []string{symbol(e.Status) + " " + oneLine(e.NodeID)}
	if e.Attempts > 0 {
		parts = append(parts, duration(e.Duration))
	}
	if e.Attempts > 1 {
		parts = append(parts, strconv.Itoa(e.Attempts)+" attempts")
	}
	if text := in.String(); text != "" {
		parts = append(parts, text)
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

// String words i; "" if nothing happened.
func (i inside) String() string {
	switch {
	case i.ended == 0:
		return ""
	case i.failed == 0:
		return fmt.Sprintf("%d inside", i.ended)
	}
	return fmt.Sprintf("%d inside, %d failed", i.ended, i.failed)
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
