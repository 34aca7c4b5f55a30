package ui

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/uitest"
)

// aside returns the texts above the canvas.
func (b *bench) aside() []string { return uitest.Texts(b.views.stage.path) }

// openSaved opens the workflow "w" that is stored.
func (b *bench) openSaved() {
	b.t.Helper()
	_, err := b.app.Save(b.t.Context(), stored("w"), workflow.Condition{})
	require.NoError(b.t, err)
	b.files.openStored(b.hosts.Here(), "w")
	b.settle()
}

func TestTheDraftIsComparedWithTheSavedWorkflow(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.run("file.compare")
		require.Contains(t, b.message(), "never saved")
		b.openSaved()
		first := b.doc().Nodes()[0].ID
		require.NoError(t, b.doc().SetLabel(first, "Mine"))
		b.views.Refresh()
		b.run("file.compare")
		require.Contains(t, b.drawn(), "changed")
		require.Contains(t, b.aside(), "Compared with what is saved. Taking over means what is selected, or everything.")
		b.click(b.crumb("Take over"))
		require.NotEqual(t, "Mine", b.doc().Nodes()[0].Label)
		require.NotContains(t, b.drawn(), "changed")
		require.Empty(t, b.aside(), "nothing differs any more")
		require.False(t, b.files.Comparing())

		require.NoError(t, b.doc().SetLabel(first, "Mine"))
		b.run("file.compare")
		require.True(t, b.files.Comparing())
		b.click(b.crumb("Leave"))
		require.False(t, b.files.Comparing())
		require.Equal(t, "Mine", b.doc().Nodes()[0].Label)
	})
}

// The comparison bar covers nothing of the workflow.
func TestTheGraphBeginsBelowTheComparisonBar(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.openSaved()
		require.NoError(t, b.doc().SetLabel(b.doc().Nodes()[0].ID, "Mine"))
		b.run("view.fit")
		b.views.board().View.PanBy(geom.Point{Y: 2 - b.top()})
		b.run("file.compare")
		said := b.views.stage.path
		require.Positive(t, said.Size().Height)
		require.GreaterOrEqual(t, b.top(), float64(overEdge+said.Size().Height))
		b.run("file.compare")
		b.run("view.fit")
		alone := b.top()
		b.run("file.compare")
		b.run("view.fit")
		require.Greater(t, b.top(), alone)
	})
}

// top is where on the canvas the graph begins.
func (b *bench) top() float64 {
	on := b.views.board()
	return on.View.ToScreen(on.Scene().Bounds.Min).Y
}

func TestAConflictIsMergedNodeByNode(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.openSaved()
		theirs := stored("w")
		theirs.Nodes[1].Label = "Theirs"
		_, err := b.app.Save(t.Context(), theirs, workflow.Condition{})
		require.NoError(t, err)
		require.NoError(t, b.doc().SetLabel(b.doc().Nodes()[0].ID, "Mine"))
		b.run("file.save")
		b.answer("Compare")
		require.Contains(t, strings.Join(b.aside(), "\n"), "Compared with the version that somebody else has saved")
		b.views.board().Show(b.doc().Nodes()[1].ID)
		b.run("file.take")
		require.Equal(t, []string{"Mine", "Theirs"}, []string{b.doc().Nodes()[0].Label, b.doc().Nodes()[1].Label})
		b.run("file.save")
		b.answer("Replace it")
		def, err := b.app.Workflow(t.Context(), "w")
		require.NoError(t, err)
		require.Equal(t, []string{"Mine", "Theirs"}, []string{def.Nodes[0].Label, def.Nodes[1].Label}, "merged")
	})
}

// kept has revisions of a workflow.
type kept struct {
	hosts.Backend

	revisions map[int]*workflow.Definition
}

func (k kept) Revision(_ context.Context, _ string, n int) (*workflow.Definition, error) {
	return k.revisions[n], nil
}

func TestARevisionIsRestored(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.openSaved()
		require.True(t, b.files.HasRevisions())
		old := stored("w")
		old.Nodes[0].Label = "As it was"
		place := hosts.Host{Backend: kept{Backend: b.app, revisions: map[int]*workflow.Definition{1: old}}}
		b.files.pickRevision(place, "w", []workflow.Meta{{Revision: 1}})
		b.settle()
		b.pressEnter()
		b.settle()
		require.Contains(t, strings.Join(b.aside(), "\n"), "Compared with revision 1")
		b.run("file.take")
		require.Equal(t, "As it was", b.doc().Nodes()[0].Label)
		b.run("edit.undo")
		require.Empty(t, b.doc().Nodes()[0].Label, "one step")
	})
}
