package doc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrNoSuchPart reports an unknown group or note.
var ErrNoSuchPart = errors.New("there is no such group or note")

// Group makes a group of nodes and returns its id. The nodes leave their former groups.
func (d *Document) Group(label string, ids ...string) (id string, err error) {
	err = d.do("Group", "", func(c *change) error {
		for _, id := range ids {
			if _, err := c.need(id); err != nil {
				return err
			}
		}
		if len(ids) == 0 {
			return nil
		}
		c.ungroup(setOf(ids))
		id = groupNames(c.level).unique("group")
		extend(c, &c.level.Groups, workflow.Group{ID: id, Label: label, NodeIDs: c.inOrder(setOf(ids))})
		return nil
	})
	return id, err
}

// inOrder sorts nodes in document order.
func (d *Document) inOrder(ids map[string]bool) []string {
	var ordered []string
	for i := range d.level.Nodes {
		if id := d.level.Nodes[i].ID; ids[id] {
			ordered = append(ordered, id)
		}
	}
	return ordered
}

// Ungroup removes groups; their nodes stay.
func (d *Document) Ungroup(ids ...string) error {
	return d.do("Ungroup", "", func(c *change) error {
		c.delete(Set{Groups: ids})
		return nil
	})
}

// RemoveFromGroups removes nodes from their groups.
func (d *Document) RemoveFromGroups(ids ...string) error {
	return d.do("Remove from group", "", func(c *change) error {
		c.ungroup(setOf(ids))
		return nil
	})
}

// SetGroupLabel sets the label of a group.
func (d *Document) SetGroupLabel(id, label string) error {
	return d.setGroup("Rename group", "group/"+id, id, func(g *workflow.Group) { g.Label = label })
}

// SetGroupColor sets the colour of a group, "#rrggbb"; "" is the default.
func (d *Document) SetGroupColor(id, color string) error {
	return d.setGroup("Colour group", "", id, func(g *workflow.Group) { g.Color = color })
}

func (d *Document) setGroup(name, key, id string, f func(*workflow.Group)) error {
	return d.do(name, key, func(c *change) error {
		i := slices.IndexFunc(c.level.Groups, func(g workflow.Group) bool { return g.ID == id })
		if i < 0 {
			return fmt.Errorf("%w: group %q", ErrNoSuchPart, id)
		}
		modify(c, &c.level.Groups, i, f)
		return nil
	})
}

// AddNote adds a note at a point, or at the nearest free one, and returns its id.
func (d *Document) AddNote(text string, at geom.Point) (id string, err error) {
	err = d.do("Add note", "", func(c *change) error {
		id = noteNames(c.level).unique("note")
		at = c.free(geom.RectAt(at, cards.NoteWidth, cards.NoteHeight), nil)
		extend(c, &c.level.Notes, workflow.Note{
			ID: id, Text: text, Position: position(at), Size: &workflow.Size{W: cards.NoteWidth, H: cards.NoteHeight},
		})
		return nil
	})
	return id, err
}

// SetNoteText sets the text of a note; typing into one note is one step.
func (d *Document) SetNoteText(id, text string) error {
	return d.setNote("Change note", "note/"+id, id, func(n *workflow.Note) { n.Text = text })
}

// SetNoteColor sets the colour of a note, "#rrggbb"; "" is the default.
func (d *Document) SetNoteColor(id, color string) error {
	return d.setNote("Colour note", "", id, func(n *workflow.Note) { n.Color = color })
}

// ResizeNote sets the size of a note, with a minimum for legibility.
func (d *Document) ResizeNote(id string, w, h float64) error {
	return d.setNote("Resize note", "", id, func(n *workflow.Note) {
		n.Size = &workflow.Size{W: clampSize(w, cards.MinNoteWidth), H: clampSize(h, cards.MinNoteHeight)}
	})
}

// ResizeNode sets the size of a card that shows a value, with a minimum for its ports.
func (d *Document) ResizeNode(id string, w, h float64) error {
	return d.do("Resize card", "", func(c *change) error {
		i, err := c.need(id)
		if err != nil {
			return err
		}
		modify(c, &c.level.Nodes, i, func(n *workflow.Node) {
			n.Size = &workflow.Size{W: clampSize(w, cards.MinWidth), H: clampSize(h, cards.HeaderHeight+cards.MinPane)}
		})
		return nil
	})
}

func (d *Document) setNote(name, key, id string, f func(*workflow.Note)) error {
	return d.do(name, key, func(c *change) error {
		i := slices.IndexFunc(c.level.Notes, func(n workflow.Note) bool { return n.ID == id })
		if i < 0 {
			return fmt.Errorf("%w: note %q", ErrNoSuchPart, id)
		}
		modify(c, &c.level.Notes, i, f)
		return nil
	})
}
