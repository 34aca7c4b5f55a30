package machine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/machine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

func TestWorkflowsRunAndAreStored(t *testing.T) {
	u := newUser(t)
	m := u.open()
	here := m.Host()
	require.Empty(t, here.URL)
	require.Empty(t, m.Notice())
	greeting, err := app.FindTemplate("greeting")
	require.NoError(t, err)
	_, err = here.Backend.Save(t.Context(), greeting, workflow.Condition{})
	require.NoError(t, err)
	id, err := here.Backend.Start(t.Context(), greeting, run.Request{})
	require.NoError(t, err)
	for _, err := range here.Backend.Events(t.Context(), id, 0) {
		require.NoError(t, err)
	}
	closeNow(t, m)

	again := u.open().Host().Backend
	stored, err := again.Workflow(t.Context(), "greeting")
	require.NoError(t, err)
	require.Equal(t, greeting.Name, stored.Name)
	record, err := again.Run(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"greeting": "Hello, World!"}, record.Result.Outputs)
}

// Workflows on this computer have the permissions of its user; file names are relative to the
// directory where the program was started.
func TestFilesAreRelativeToTheWorkingDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("note.txt", []byte("hello"), 0o600))
	require.Equal(t, "hello", readBy(t, newUser(t), "note.txt"))
}

func TestFilesAreInTheHomeIfTheProgramWasStartedAtTheRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its root has another name")
	}
	u := newUser(t)
	t.Setenv("HOME", t.TempDir())
	t.Chdir("/")
	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("HOME"), "note.txt"), []byte("at home"), 0o600))
	require.Equal(t, "at home", readBy(t, u, "note.txt"))
}

// readBy returns what a workflow of u reads from a file.
func readBy(t *testing.T, u *user, file string) any {
	t.Helper()
	def, err := workflow.Decode([]byte(`{"id":"read","nodes":[
		{"id":"file","type":"io.file_read","config":{"path":"`+file+`"}},
		{"id":"out","type":"io.output","config":{"name":"text"}}],
		"connections":[{"fromNodeId":"file","fromPort":"content","toNodeId":"out","toPort":"value"}]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	here := u.open().Host().Backend
	id, err := here.Start(t.Context(), def, run.Request{})
	require.NoError(t, err)
	for _, err := range here.Events(t.Context(), id, 0) {
		require.NoError(t, err)
	}
	record, err := here.Run(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, record.Result.Error)
	return record.Result.Outputs["text"]
}

func TestASecondProgramKeepsItsRunsInMemory(t *testing.T) {
	u := newUser(t)
	first := u.open()
	second := u.open()
	require.Contains(t, second.Notice(), "Another Svc keeps its runs in "+filepath.Join(u.dir, "data", "runs"))
	greeting, err := app.FindTemplate("greeting")
	require.NoError(t, err)
	_, err = second.Host().Backend.Start(t.Context(), greeting, run.Request{})
	require.NoError(t, err)
	runs, err := first.Host().Backend.Runs(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Empty(t, runs.Items)
}

func TestOpenReportsAWrongDataDirectory(t *testing.T) {
	u := newUser(t)
	require.NoError(t, os.WriteFile(filepath.Join(u.dir, "data"), nil, 0o600))
	_, err := machine.Open(t.Context(), u.config())
	require.ErrorContains(t, err, "choose another --data directory")

	u = newUser(t)
	u.env["SVC_SERVER"] = "ftp://example.org"
	_, err = machine.Open(t.Context(), u.config())
	require.ErrorContains(t, err, "has to begin with http://")
}

func TestFolders(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the paths are those of Linux")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	folders, err := machine.FindFolders("")
	require.NoError(t, err)
	require.Equal(t, machine.Folders{Data: home + "/.local/share/svc", User: home + "/.config/svc"}, folders)

	t.Setenv("XDG_CONFIG_HOME", "/c")
	t.Setenv("XDG_DATA_HOME", "/d")
	folders, err = machine.FindFolders("")
	require.NoError(t, err)
	require.Equal(t, machine.Folders{Data: "/d/svc", User: "/c/svc"}, folders)

	t.Chdir(home)
	t.Setenv("XDG_DATA_HOME", "relative")
	folders, err = machine.FindFolders("here")
	require.NoError(t, err)
	require.Equal(t, machine.Folders{Data: home + "/here", User: "/c/svc"}, folders, "what the user has does not move")
	folders, err = machine.FindFolders("")
	require.NoError(t, err)
	require.Equal(t, home+"/.local/share/svc", folders.Data)

	t.Setenv("HOME", "")
	_, err = machine.FindFolders("")
	require.ErrorContains(t, err, "name one with --data")
	t.Setenv("XDG_CONFIG_HOME", "")
	_, err = machine.FindFolders("x")
	require.ErrorContains(t, err, "set HOME")
}
