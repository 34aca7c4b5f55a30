package workspace

import (
	"context"
	"maps"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/workflow"
)

// Pinned reports whether a node, by its path ("loop/fmt"), is pinned: runs use the pinned
// outputs instead of calling it.
func (w *Session) Pinned(path string) bool {
	_, ok := w.pins[path]
	return ok
}

// Pin returns the pin of a node; ok is false if it is not pinned.
func (w *Session) Pin(path string) (pin engine.Pin, ok bool) {
	pin, ok = w.pins[path]
	return pin, ok
}

// PinsIn returns the pins of the nodes that a definition has: of the workflow, or of the body
// in the given containers, by their paths in it. Pins of other nodes stay: a deleted node may
// come back by undo.
func (w *Session) PinsIn(def *workflow.Definition, containers ...string) map[string]engine.Pin {
	pins := map[string]engine.Pin{}
	for path, pin := range w.pins {
		if inside, ok := strings.CutPrefix(path, fold.Join(containers, "")); ok && has(def, inside) {
			pins[inside] = pin
		}
	}
	return pins
}

func has(def *workflow.Definition, path string) bool {
	containers, id := fold.Split(path)
	for _, c := range append(containers, id) {
		if def == nil {
			return false
		}
		var found *workflow.Node
		for i := range def.Nodes {
			if def.Nodes[i].ID == c {
				found = &def.Nodes[i]
			}
		}
		if found == nil {
			return false
		}
		def = found.Body
	}
	return true
}

// Pin sets pins, and stores them with the drafts.
func (d *Workspace) Pin(pins map[string]engine.Pin) {
	if d.front != nil {
		maps.Copy(d.front.pins, pins)
		d.keepPins(d.front)
	}
}

// Unpin removes pins.
func (d *Workspace) Unpin(paths ...string) {
	if d.front == nil {
		return
	}
	for _, path := range paths {
		delete(d.front.pins, path)
	}
	d.keepPins(d.front)
}

func (d *Workspace) keepPins(w *Session) {
	drafts := d.config.Drafts
	origin, pins := w.origin, maps.Clone(w.pins)
	w.pinning.Do(func(context.Context) func() {
		if err := drafts.SetPins(origin, pins); err != nil {
			return func() { d.config.User.Complain(err) }
		}
		return nil
	})
	d.config.Changed()
}
