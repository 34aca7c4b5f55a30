package doc

import (
	"reflect"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
)

// differParts compares parts of one kind, which are told apart by their ids; the first of
// several with one id counts.
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

// differGroup compares what a group is and which nodes are in it; where its frame lies
// follows from these.
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

// sum says what the fields that differ come to; moved is whether the place differs.
func (d *Difference) sum(moved bool) {
	switch {
	case len(d.Fields) > 0:
		d.Change = Changed
	case moved:
		d.Change = Moved
	}
}
