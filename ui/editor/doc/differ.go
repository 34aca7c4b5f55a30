package doc

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Change is the kind of a change to a part of a workflow.
type Change uint8

// The changes. Unchanged parts are not reported.
const (
	Unchanged Change = iota
	Added
	Removed
	Changed
	Moved // only its position has changed
)

// Difference is the change of a node, a group or a note, by field.
type Difference struct {
	Change Change
	Fields []Field
}

// Field is a changed field, as text.
type Field struct{ Name, Before, After string }

// Differences are the differences of one level.
type Differences struct {
	Nodes, Groups, Notes map[string]Difference
	// New are the added wires, and Gone the removed ones, without their points.
	New  map[workflow.Connection]bool
	Gone []workflow.Connection
}

// Empty reports whether there are no differences.
func (d *Differences) Empty() bool {
	return len(d.Nodes)+len(d.Groups)+len(d.Notes)+len(d.New)+len(d.Gone) == 0
}

// Differ compares the present level of now with the same level of another document.
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

// differParts compares parts of one kind by id; the first of several with one id counts.
func differParts[T any](old, now []T, idOf func(*T) string, differ func(before, now *T) Difference) map[string]Difference {
	was := make(map[string]*T, len(old))
	for i := range old {
		if id := idOf(&old[i]); was[id] == nil {
			was[id] = &old[i]
		}
	}
	all, seen := map[string]Difference{}, make(map[string]bool, len(now))
	for i := range now {
		id := idOf(&now[i])
		before, there := was[id]
		switch {
		case seen[id]:
		case !there:
			all[id] = Difference{Change: Added}
		default:
			if d := differ(before, &now[i]); d.Change != Unchanged {
				all[id] = d
			}
		}
		seen[id] = true
	}
	for id := range was {
		if !seen[id] {
			all[id] = Difference{Change: Removed}
		}
	}
	return all
}

// differGroup compares the properties of a group and its nodes, from which its frame follows.
func differGroup(before, now *workflow.Group) (d Difference) {
	d.field("label", before.Label, now.Label)
	d.field("color", before.Color, now.Color)
	d.field("nodes", membersOf(before), membersOf(now))
	d.sum(false)
	return d
}

func membersOf(g *workflow.Group) string {
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(g.NodeIDs))), ", ")
}

func differNote(before, now *workflow.Note) (d Difference) {
	d.field("text", before.Text, now.Text)
	d.field("color", before.Color, now.Color)
	d.sum(!reflect.DeepEqual(before.Position, now.Position) || !reflect.DeepEqual(before.Size, now.Size))
	return d
}

func (d *Difference) field(name, before, now string) {
	if before != now {
		d.Fields = append(d.Fields, Field{name, before, now})
	}
}

// sum sets the change from the fields that differ; moved is whether the position differs.
func (d *Difference) sum(moved bool) {
	switch {
	case len(d.Fields) > 0:
		d.Change = Changed
	case moved:
		d.Change = Moved
	}
}
