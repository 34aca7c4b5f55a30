package ui

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/engine/enginetest/golden"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
	"github.com/svcflow/svc/ui/workspace"
)

var update = flag.Bool("update", false, "write the golden files anew")

// savedTest is what the editor makes of a run of testdata/saved.json. Tests of the command
// line see to it that svc test passes on it.
const savedTest = "saved.test.json"

// saveTest saves the run that is shown, in the file that is proposed.
func (b *bench) saveTest() {
	b.t.Helper()
	b.run("run.save-test")
	require.NotNil(b.t, b.win.Canvas().Overlays().Top(), b.message())
	b.press("Save")
}

func TestARunIsSavedAsATest(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		text, err := os.ReadFile(filepath.Join("testdata", "saved.json"))
		require.NoError(t, err)
		source := filepath.Join(b.dir, "saved.json")
		require.NoError(t, os.WriteFile(source, text, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(b.dir, "note.txt"), []byte("Remember the milk."), 0o600))
		b.Open(source)
		b.settle()
		require.False(t, b.commands.Enabled("run.save-test"), "nothing has run")
		b.ran("run.start")
		b.saveTest()
		require.Contains(t, b.message(), "Saved as a test")
		made, err := os.ReadFile(filepath.Join(b.dir, savedTest))
		require.NoError(t, err)
		golden.Equal(t, filepath.Join("testdata", savedTest), made, *update)

		b.saveTest()
		made, err = os.ReadFile(filepath.Join(b.dir, savedTest))
		require.NoError(t, err)
		file, err := flowtest.Decode(made)
		require.NoError(t, err)
		require.Len(t, file.Cases, 2, "one more")
		require.Equal(t, "as it ran 2", file.Cases[1].Name)

		b.run("run.save-test")
		entries := uitest.Seen[*kit.Entry](b.win.Canvas().Overlays().Top())
		entries[1].SetText(filepath.Join(b.dir, "other.json"))
		b.press("Save")
		require.Contains(t, b.message(), "end in .test.json")
	})
}

func TestOnlyARunOfTheWholeWorkflowInItsFileIsSaved(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		b.workspace.Open(workspace.FromDefinition(stored("new")))
		b.settle()
		b.ran("run.start")
		b.run("run.save-test")
		require.Contains(t, b.message(), "Save the workflow in a file first")

		s := &situation{bench: b}
		s.file()
		require.True(t, b.board().Show(b.doc().Nodes()[1].ID))
		b.ran("run.to")
		b.run("run.save-test")
		require.Contains(t, b.message(), "not one of the whole workflow")
	})
}
