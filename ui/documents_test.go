package ui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/workspace"
)

// edit changes what is open in a way that can be seen.
func (b *bench) change(name string) {
	b.t.Helper()
	require.NoError(b.t, b.doc().SetName(name))
	b.views.Refresh()
}

// typeOver replaces what is in the field that has the focus.
func (b *bench) typeOver(text string) {
	b.t.Helper()
	field, ok := b.win.Canvas().Focused().(interface{ SetText(string) })
	require.True(b.t, ok, "no field has the focus")
	field.SetText(text)
}

func TestAFileIsOpenedAndSaved(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := filepath.Join(b.dir, "w.json")
		_, err := documents.WriteFile(file, stored("w"))
		require.NoError(t, err)
		b.Open(file)
		b.settle()
		b.change("Changed")
		require.True(t, b.doc().Edited())
		require.Equal(t, "edited", b.views.top.edited.Text())
		b.run("file.save")
		require.False(t, b.doc().Edited())
		def, _, err := documents.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "Changed", def.Name)
		require.Equal(t, file, b.config.Recent.List()[0].Origin.File)
	})
}

func TestAFileChangedByAnotherProgramIsNotOverwritten(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := filepath.Join(b.dir, "w.json")
		_, err := documents.WriteFile(file, stored("w"))
		require.NoError(t, err)
		b.Open(file)
		b.settle()
		b.change("Mine")
		theirs := stored("w")
		theirs.Name = "Theirs"
		_, err = documents.WriteFile(file, theirs)
		require.NoError(t, err)

		b.run("file.save")
		require.True(t, b.doc().Edited())
		b.answer("Cancel")
		def, _, err := documents.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "Theirs", def.Name)

		b.run("file.save")
		b.answer("Replace it")
		require.False(t, b.doc().Edited())
		def, _, err = documents.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "Mine", def.Name)

		theirs.Name = "Theirs again"
		_, err = documents.WriteFile(file, theirs)
		require.NoError(t, err)
		b.change("Lost")
		b.run("file.save")
		b.answer("Open theirs")
		b.answer("Drop them")
		require.Equal(t, "Theirs again", b.doc().Name())
		require.False(t, b.doc().Edited())
	})
}

func TestAStoredWorkflowThatChangedIsNotOverwritten(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		_, err := b.app.Save(t.Context(), stored("w"), workflow.Condition{})
		require.NoError(t, err)
		b.files.openStored(b.hosts.Here(), "w")
		b.settle()
		b.change("Mine")
		b.run("file.save")
		require.False(t, b.doc().Edited())
		require.Contains(t, b.message(), "revision 2")

		theirs := stored("w")
		theirs.Name = "Theirs"
		_, err = b.app.Save(t.Context(), theirs, workflow.Condition{})
		require.NoError(t, err)
		b.change("Mine again")
		b.run("file.save")
		require.True(t, b.doc().Edited())
		b.answer("Replace it")
		require.False(t, b.doc().Edited())
		kept, err := b.app.Workflow(t.Context(), "w")
		require.NoError(t, err)
		require.Equal(t, "Mine again", kept.Name)
	})
}

func TestANewWorkflowIsAskedForItsName(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.run("file.new")
		b.editing.AddAt("io.input", b.board().View.Visible().Center())
		b.run("file.save")
		b.typeOver("Morgen-Bericht für Ada")
		b.answer("Save")
		kept, err := b.app.Workflow(t.Context(), "morgen-bericht-für-ada")
		require.NoError(t, err)
		require.Equal(t, "Morgen-Bericht für Ada", kept.Name)
		require.False(t, b.doc().Edited())

		b.run("file.new")
		b.editing.AddAt("io.input", b.board().View.Visible().Center())
		b.run("file.save-as")
		b.typeOver("Morgen-Bericht für Ada")
		b.answer("Save")
		require.True(t, b.doc().Edited(), "the name is taken")
		b.answer("Cancel")
	})
}

func TestUnsavedChangesAreAskedFor(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.run("file.new") // nothing was changed: nothing to ask
		require.Equal(t, workspace.BlankID, b.doc().Definition().ID)
		b.change("Changed")
		b.run("tab.close")
		b.answer("Cancel")
		require.Equal(t, "Changed", b.doc().Name())
		b.run("file.quit")
		b.answer("Don't save")
		require.Nil(t, b.workspace.Active())
		left, err := b.config.Drafts.Orphans()
		require.NoError(t, err)
		require.Empty(t, left, "what nobody wants is not offered again")
	})
}

func TestADraftOutlivesAnEndWithoutNotice(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := filepath.Join(b.dir, "w.json")
		_, err := documents.WriteFile(file, stored("w"))
		require.NoError(t, err)
		before, err := os.ReadFile(file)
		require.NoError(t, err)
		b.Open(file)
		b.settle()
		b.change("Unsaved")
		b.wait(10 * time.Second)
		require.Contains(t, b.message(), "Draft saved")
		after, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "a draft never touches the file")

		b.workspace.Clear(true) // as when the system ends the session
		b.files.showStart()
		left, err := b.config.Drafts.Orphans()
		require.NoError(t, err)
		require.Len(t, left, 1)
		b.workspace.Open(workspace.FromDraft(left[0]))
		b.settle()
		require.Equal(t, "Unsaved", b.doc().Name())
		require.True(t, b.doc().Edited(), "it is saved nowhere yet")
		b.run("file.save")
		def, _, err := documents.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, "Unsaved", def.Name)
		left, err = b.config.Drafts.Orphans()
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestAnEndOfTheSessionKeepsTheDraft(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.change("Unsaved")
		b.Quit() // before the draft was due
		b.settle()
		require.Nil(t, b.workspace.Active())
		left, err := b.config.Drafts.Orphans()
		require.NoError(t, err)
		require.Len(t, left, 1)
		def, err := left[0].Read()
		require.NoError(t, err)
		require.Equal(t, "Unsaved", def.Name)
	})
}

func TestADraftGoesWhenTheChangesAreUndone(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.Open("template:greeting")
		b.settle()
		b.change("Changed")
		b.wait(10 * time.Second)
		b.run("edit.undo")
		b.workspace.Clear(true)
		left, err := b.config.Drafts.Orphans()
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

func TestUnknownNodeTypesAreSavedBackUnchanged(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := filepath.Join(b.dir, "w.json")
		text := `{"id":"w","nodes":[{"id":"a","type":"acme.unknown","config":{"deep":[1,2.5,null]},"retry":{"maxAttempts":2}}],"connections":[]}`
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		b.Open(file)
		b.wait(time.Second)
		require.NotEmpty(t, b.board().Problems().All())
		before := b.doc().Nodes()[0]
		b.change("Renamed")
		b.run("file.save")
		def, _, err := documents.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, before.Config, def.Nodes[0].Config)
		require.Equal(t, before.Retry, def.Nodes[0].Retry)
		require.Equal(t, "acme.unknown", def.Nodes[0].Type)
	})
}

func TestAFailedOpenIsReported(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := filepath.Join(b.dir, "w.json")
		require.NoError(t, os.WriteFile(file, []byte(`{"id":"w",}`), 0o600))
		b.Open(file)
		b.settle()
		require.Nil(t, b.workspace.Active())
		require.Contains(t, b.message(), file)
		require.True(t, b.views.stage.start.Visible())
	})
}
