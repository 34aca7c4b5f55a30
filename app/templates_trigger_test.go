package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/data"
	"github.com/svcflow/svc/nodes/email"
	sqlnode "github.com/svcflow/svc/nodes/sql"
	"github.com/svcflow/svc/nodes/state"
	"github.com/svcflow/svc/nodes/trigger"
)

// fireTemplate runs a template as if a trigger had fired.
func fireTemplate(t *testing.T, a *App, name, triggerID string, payload, inputs record) map[string]any {
	t.Helper()
	def, err := FindTemplate(name)
	require.NoError(t, err)
	ended, err := a.Execute(t.Context(), def, run.Request{Trigger: triggerID, Payload: payload, Inputs: inputs}, nil)
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended.Outputs()
}

// withAll returns an App with the plugins of the templates, whose files are in a folder. It can
// be started by triggers, has the database sqlite:main in that folder, and sends its letters nowhere.
func withAll(t *testing.T, dir string) (*App, *letters) {
	t.Helper()
	letters := &letters{}
	settings := map[string]string{"EMAIL_SMTP_URL": "smtp://" + letters.serve(t) + "?tls=none", "EMAIL_USER": "ada@example.com"}
	accounts := credentialstest.NewMemory(credentialstest.Holding{
		"email:main":  {Access: credentials.NewSecret("sim-email-main")},
		"sqlite:main": {Kind: credentials.KindDSN, Access: credentials.NewSecret("sqlite:notes.db")},
	})
	env := localEnv(t, dir)
	databases := sqlnode.New(sqlnode.Config{Credentials: accounts, Files: env.Files})
	t.Cleanup(func() { require.NoError(t, databases.Close()) })
	return newTestApp(t, Config{Triggers: true, Env: env, ExtraPlugins: []node.Plugin{
		trigger.Plugin(trigger.Config{}), data.New(data.Config{Files: env.Files}), state.Plugin(), databases,
		email.New(email.Config{Getenv: func(name string) string { return settings[name] }, Credentials: accounts, Files: env.Files}),
	}}), letters
}

// A run that fails starts the template by itself, once it is active.
func TestAlertOnFailureTemplate(t *testing.T) {
	a, letters := withAll(t, t.TempDir())
	def, err := FindTemplate("alert-on-failure")
	require.NoError(t, err)
	_, err = a.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	_, err = a.Activate(t.Context(), def.ID, run.Arming{})
	require.NoError(t, err)
	runID, err := a.Start(t.Context(), parse(t, `{"id":"fails","nodes":[{"id":"read","type":"json.query","config":{"value":"no JSON","filter":"fromjson"}}],"connections":[]}`), run.Request{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, text := letters.taken(); return text != "" }, time.Minute, 5*time.Millisecond)
	to, text := letters.taken()
	require.Equal(t, []string{"me@example.com"}, to)
	require.Contains(t, text, "Subject: A run has failed\r\n")
	require.Contains(t, text, "A run of fails has failed.\r\n")
	require.Contains(t, text, "Node: read\r\n")
	require.Contains(t, text, "svc runs show "+runID)
}

// Filling in the form sends a letter, with or without a file.
func TestFormMailTemplate(t *testing.T) {
	dir := t.TempDir()
	a, letters := withAll(t, dir)
	answers := record{"name": "Ann", "email": "ann@example.com", "message": "Hello!\nIs there tea?", "file": nil}
	outputs := fireTemplate(t, a, "form-mail", "form", answers, record{"to": "me@example.com"})
	require.Equal(t, true, outputs["sent"], outputs["error"])
	to, text := letters.taken()
	require.Equal(t, []string{"me@example.com"}, to)
	require.Contains(t, text, "Subject: Message from Ann\r\n")
	require.Contains(t, text, "Is there tea?\r\n\r\nAnn <ann@example.com>")
	require.NotContains(t, text, "attachment")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "tea.txt"), []byte("green"), 0o600))
	answers["file"] = record{"kind": "file", "mime": "text/plain", "path": "tea.txt"}
	outputs = fireTemplate(t, a, "form-mail", "form", answers, nil)
	require.Equal(t, true, outputs["sent"], outputs["error"])
	_, text = letters.taken()
	require.Contains(t, text, `filename="tea.txt"`)
}

func TestMorningDigestTemplate(t *testing.T) {
	a, letters := withAll(t, t.TempDir())
	news := newStub(t, 200)
	news.answer.Store(`{"hits":[{"title":"One","url":"https://example.com/1"},{"title":"Two"},{"title":"3"},{"title":"4"},{"title":"5"},{"title":"Six"}]}`)
	outputs := fireTemplate(t, a, "morning-digest", "morning", record{"scheduled": "2026-01-30T08:00:00.000+01:00"}, record{"url": news.URL})
	require.Equal(t, true, outputs["sent"])
	require.Contains(t, outputs["digest"], "Good morning!\n\n- One\n  https://example.com/1\n- Two\n  no address\n- 3\n")
	require.NotContains(t, outputs["digest"], "Six")
	to, text := letters.taken()
	require.Equal(t, []string{"me@example.com"}, to)
	require.Contains(t, text, "Subject: Morning digest\r\n")
}

func TestHookTemplates(t *testing.T) {
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})}})
	for _, c := range []struct {
		template string
		payload  record
		want     any
	}{
		{"webhook-answer", record{"body": record{"quantity": 3}, "params": record{"product": "tea"}}, record{"product": "tea", "quantity": 3, "total": 28.5}},
		{"webhook-answer", record{"params": record{"product": "tea"}}, record{"product": "tea", "quantity": 1, "total": 9.5}},
		{"github-hook", record{"body": record{
			"commits": []any{1, 2}, "sender": record{"login": "ada"}, "repository": record{"full_name": "svcflow/svc"},
		}}, "ada pushed 2 commits in svcflow/svc"},
		{"github-hook", record{"body": record{"action": "opened", "issue": record{"title": "It hums"}}}, "somebody opened the issue It hums in a repository"},
		{"github-hook", record{"body": record{"zen": "Keep it simple."}}, "somebody did something in a repository"},
	} {
		outputs := fireTemplate(t, a, c.template, "hook", c.payload, nil)
		require.Len(t, outputs, 1)
		for _, got := range outputs {
			require.Equal(t, c.want, got)
		}
	}
}

func TestWatchFolderTemplate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inbox"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inbox", "a.bin"), []byte("abc\xff"), 0o600))
	a := newTestApp(t, Config{Env: localEnv(t, dir), ExtraPlugins: []node.Plugin{trigger.Plugin(trigger.Config{})}})
	outputs := fireTemplate(t, a, "watch-folder", "file", record{"path": "inbox/a.bin", "event": "created"}, nil)
	const line = "8e3b08dc1236880bf0c55873db58b12d8bf0398b1b17c9686e015ccfe098d35d  inbox/a.bin (created)\n"
	require.Equal(t, line, outputs["received"])
	written, err := os.ReadFile(filepath.Join(dir, "received.txt"))
	require.NoError(t, err)
	require.Equal(t, line, string(written))
}
