package workspace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/workspace"
)

// killed runs before with one workspace, and after with another that finds the files as they
// were when the first program was killed. No locks are held.
func killed(t *testing.T, before, after func(t *testing.T, b *fixture)) {
	t.Helper()
	var shelf *shelf
	left := t.TempDir()
	inWorkspace(t, func(t *testing.T, b *fixture) {
		before(t, b)
		b.wait(10 * time.Second)
		shelf = b.shelf
		require.NoError(t, os.CopyFS(left, withoutLocks{os.DirFS(b.dir)}))
	})
	onDeskIn(t, left, func(t *testing.T, b *fixture) {
		*b.shelf = *shelf
		after(t, b)
	})
}

// withoutLocks hides lock files: some systems refuse to open those of another process.
type withoutLocks struct{ fs.FS }

func (w withoutLocks) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.FS, name)
	kept := all[:0]
	for _, e := range all {
		if filepath.Ext(e.Name()) != ".lock" {
			kept = append(kept, e)
		}
	}
	return kept, err
}

func TestOpenTabsAreRestored(t *testing.T) {
	killed(t, func(t *testing.T, b *fixture) {
		file := b.file("In a file")
		b.shelf.stored["w"], b.shelf.stored["v"] = definition("Stored"), definition("Elsewhere")
		b.shelf.stored["v"].ID = "v"
		b.Open(workspace.FromFile(file))
		b.Open(workspace.FromHost(b.place, "w"))
		b.settle()
		b.Open(workspace.FromDefinition(definition("New")))
		b.rename("New, changed")
		b.Open(workspace.FromDefinition(definition("Untouched"))) // there is nothing in it
		b.Open(workspace.FromHost(workspace.Host{URL: "https://svc.example.org", Store: b.shelf}, "v"))
		b.settle()
		b.Move(b.Active(), 0)
		b.Front(b.Sessions()[2])
		b.rename("Stored, changed")
	}, func(t *testing.T, b *fixture) {
		require.True(t, b.Restore())
		b.settle()
		require.Empty(t, b.asked, "nobody has to be asked")
		require.Empty(t, b.said)
		require.Equal(t, []string{"Elsewhere", "In a file", "Stored, changed", "New, changed"}, b.names())
		require.Equal(t, "Stored, changed", b.Active().Document.Name(), "as it was left")
		require.True(t, b.Active().Document.Edited())
		require.False(t, b.Sessions()[0].Document.Edited())
		require.Equal(t, "https://svc.example.org", b.Sessions()[0].Origin().Server)
		b.Save(nil)
		b.settle()
		require.Equal(t, "Stored, changed", b.shelf.stored["w"].Name, "it is known what was loaded")
	})
}

func TestQuittingRemembersTheOpenTabs(t *testing.T) {
	killed(t, func(t *testing.T, b *fixture) {
		b.Open(workspace.FromFile(b.file("Mine")))
		b.rename("Changed")
		b.Open(workspace.FromDefinition(definition("New")))
		b.rename("New, changed")
		b.CloseEverywhere(func() {})
		b.answer(workspace.Unsaved, workspace.Discard)
		b.answer(workspace.Unsaved, workspace.Discard)
		b.SaveDrafts()
	}, func(t *testing.T, b *fixture) {
		require.True(t, b.Restore())
		require.Equal(t, []string{"Mine"}, b.names(), "as it was saved; what was given up is gone")
		b.Close(b.Active())
		b.wait(time.Second)
		tabs, err := os.ReadFile(filepath.Join(b.dir, "tabs.json"))
		require.NoError(t, err)
		require.JSONEq(t, "[]", string(tabs), "what was closed does not come again")
	})
}

func TestAMissingFileIsReportedAndOtherTabsAreRestored(t *testing.T) {
	killed(t, func(t *testing.T, b *fixture) {
		file := b.file("Mine")
		b.shelf.stored["w"] = definition("Stored")
		b.Open(workspace.FromFile(file))
		b.Open(workspace.FromHost(b.place, "w"))
		b.settle()
		b.Open(workspace.FromFile(b.file("Other")))
		b.wait(time.Second)
		require.NoError(t, os.Remove(file))
	}, func(t *testing.T, b *fixture) {
		b.shelf.gone, b.shelf.takes = true, time.Minute
		require.True(t, b.Restore())
		require.Len(t, b.complaints, 1)
		require.True(t, errors.Is(b.complaints[0], fs.ErrNotExist), b.complaints[0])
		b.Open(workspace.FromDefinition(definition("Meanwhile")))
		b.wait(time.Hour)
		require.Len(t, b.complaints, 2)
		require.ErrorIs(t, b.complaints[1], errGone)
		require.Equal(t, []string{"Other", "Meanwhile"}, b.names())
		require.Equal(t, "Meanwhile", b.Active().Document.Name())
	})
}

func TestTabsThatAreStillBeingReadStayRemembered(t *testing.T) {
	killed(t, func(t *testing.T, b *fixture) {
		b.shelf.stored["w"] = definition("Stored")
		b.Open(workspace.FromHost(b.place, "w"))
		b.settle()
	}, func(t *testing.T, b *fixture) {
		b.shelf.takes = time.Hour
		require.True(t, b.Restore())
		b.Open(workspace.FromDefinition(definition("Quick")))
		b.wait(10 * time.Second)
		b.Clear(true)
		tabs, err := os.ReadFile(filepath.Join(b.dir, "tabs.json"))
		require.NoError(t, err)
		require.Contains(t, string(tabs), `"id":"w"`)
	})
}

func TestTheTabsOfAnotherProgramAreItsOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tabs.json")
	first, err := documents.OpenTabs(file)
	require.NoError(t, err)
	mine := []documents.Tab{{Origin: documents.Origin{File: "/a.json"}, Draft: "d", Front: true}, {Draft: "e"}}
	require.NoError(t, first.Set(mine))
	second, err := documents.OpenTabs(file)
	require.NoError(t, err)
	require.Empty(t, second.List())
	require.NoError(t, second.Set(nil))
	require.NoError(t, second.Close())
	require.Equal(t, mine, first.List())
	require.NoError(t, first.Close())
	third, err := documents.OpenTabs(file)
	require.NoError(t, err)
	require.Equal(t, mine, third.List())
	require.NoError(t, os.WriteFile(file, []byte(`[{"draft":1},{"draft":"e"},`), 0o600))
	require.Empty(t, third.List(), "what is broken is nothing")
	require.NoError(t, os.WriteFile(file, []byte(`[{"draft":1},{"draft":"e"}]`), 0o600))
	require.Equal(t, []documents.Tab{{Draft: "e"}}, third.List())
	require.NoError(t, third.Close())
}
