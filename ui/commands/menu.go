package commands

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/editor/scene"
)

// MenuFor returns the commands of a context menu; "" is a separator.
func MenuFor(kind scene.HitKind, containers []*node.Spec) []string {
	switch kind {
	case scene.HitNode, scene.HitPort, scene.HitCardCorner, scene.HitAction:
		into := []string{}
		for _, c := range containers {
			into = append(into, collapseID(c))
		}
		return slices.Concat([]string{
			"run.to", "run.only", "run.from", "run.pin", "run.pin-write", "run.stop", "", "node.enter", "node.unfold", "edit.rename", "", "node.connect", "node.replace", "edit.disable", "",
			"edit.cut", "edit.copy", "edit.duplicate", "",
			"arrange.group",
		}, into, []string{"node.expand", "", "edit.delete", "edit.delete-reconnect"})
	case scene.HitWire:
		return []string{"wire.point", "wire.straighten", "", "edit.delete"}
	case scene.HitPoint:
		return []string{"wire.straighten", "", "edit.delete"}
	case scene.HitNote, scene.HitNoteCorner, scene.HitGroup:
		return []string{"edit.rename", "edit.cut", "edit.copy", "edit.duplicate", "", "arrange.ungroup", "edit.delete"}
	case scene.HitNothing:
	}
	return []string{"edit.paste", "node.note", "", "edit.select-all", "view.fit", "arrange.layout"}
}
