package doc

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Change is what has become of a part of a workflow.
type Change uint8

// The changes. Unchanged parts are not told of.
const (
	Unchanged Change = iota
	Added
	Removed
	Changed
	Moved // and nothing else
)

// Difference is what has become of a node, a group or a note, field by field.
type Difference struct {
	Change Change
	Fields []Field
}

// Field is a part that differs, as text.
type Field struct{ Name, Before, After string }

// Differences are those of one level.
type Differences struct {
	Nodes, Groups, Notes map[string]Difference
	// New are the wires that have come, and Gone those that are not there any more, without
	// their ways.
	New  map[workflow.Connection]bool
	Gone []workflow.Connection
}

// Empty reports whether there are none.
func (d *Differences) Empty() bool {
	return len(d.Nodes)+len(d.Groups)+len(d.Notes)+len(d.New)+len(d.Gone) == 0
}

// Differ compares the level that now is on with the same one of another document.
func Differ(before, now *Document) *Differences {
	old := &workflow.Definition{}
	if before.GoTo(now.path) == nil {
		old = before.level
	}
	id := func(n *workflow.Node) string { return n.ID }
	d := &Differences{
		Nodes:  differParts(old.Nodes, now.level.Nodes, id, differNode),
		Groups: differParts(old.Groups, now.level.Groups, func(g *workflow.Group) string { return g.ID }, differGroup),
		Notes:  differParts(old.Notes, now.level.Notes, func(n *workflow.Note) string { return n.ID }, differNote),
		New:    map[workflow.Connection]bool{},
	}
	d.differWires(old.Connections, now.level.Connections)
	return d
}

func (d *Differences) differWires(old, now []workflow.Connection) {
	was := map[workflow.Connection]int{}
	for _, w := range old {
		was[w.Bare()]++
	}
	for _, w := range now {
		if was[w.Bare()]--; was[w.Bare()] < 0 {
			d.New[w.Bare()] = true
		}
	}
	for _, w := range old {
		if was[w.Bare()] > 0 {
			was[w.Bare()]--
			d.Gone = append(d.Gone, w.Bare())
		}
	}
}

func differNode(before, now *workflow.Node) (d Difference) {
	d.field("type", before.Type, now.Type)
	d.field("label", before.Label, now.Label)
	keys := maps.Clone(before.Config)
	if keys == nil {
		keys = map[string]any{}
	}
	maps.Copy(keys, now.Config)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		d.field(key, settingOf(before, key), settingOf(now, key))
	}
	d.field("timeoutMs", strconv.Itoa(before.TimeoutMs), strconv.Itoa(now.TimeoutMs))
	d.field("disabled", strconv.FormatBool(before.Disabled), strconv.FormatBool(now.Disabled))
	if !reflect.DeepEqual(before.Retry, now.Retry) {
		d.field("retry", retryOf(before), retryOf(now))
	}
	if !sameBody(before.Body, now.Body) {
		d.Fields = append(d.Fields, Field{"body", insideOf(before), insideOf(now)})
	}
	d.sum(before.Position != nil && now.Position != nil && *before.Position != *now.Position || !reflect.DeepEqual(before.Size, now.Size))
	return d
}

// settingOf returns a setting as text; "–" for none.
func settingOf(n *workflow.Node, key string) string {
	v, given := n.Config[key]
	if !given {
		return "–"
	}
	if text, ok := v.(string); ok {
		return text
	}
	return string(value.Append(nil, v))
}

func retryOf(n *workflow.Node) string {
	if n.Retry == nil {
		return "–"
	}
	return strconv.Itoa(n.Retry.MaxAttempts) + " × " + strconv.FormatFloat(n.Retry.Factor, 'g', -1, 64) + " · " +
		strconv.Itoa(n.Retry.InitialMs) + "–" + strconv.Itoa(n.Retry.MaxMs) + " ms"
}

func sameBody(a, b *workflow.Definition) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Format(), b.Format())
}

func insideOf(n *workflow.Node) string {
	if n.Body == nil {
		return "–"
	}
	return strconv.Itoa(len(n.Body.Nodes)) + " nodes"
}
