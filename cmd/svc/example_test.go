package main

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// svcCommand runs svc in this process.
func svcCommand(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = execute(t.Context(), args, strings.NewReader(stdin), &out, &errs, func(string) (string, bool) { return "", false })
	return out.String(), errs.String(), status
}

func openForTest(t *testing.T) *app.App {
	t.Helper()
	h := &host{env: func(string) (string, bool) { return "", false }}
	a, err := h.open(t.TempDir())
	require.NoError(t, err)
	return a
}

// TestEveryExampleRuns runs the example of each node type, with the files that it names. An
// example that needs more than this machine has must name what is missing.
func TestEveryExampleRuns(t *testing.T) {
	data := t.TempDir()
	media := stage(t, filepath.Join(data, filesDir))
	h := &host{env: func(name string) (key string, ok bool) {
		if ok = name == "SVC_CRED_HTTP_MAIN"; ok {
			key = `{"kind":"hmac","secret":"for-the-examples-and-for-nothing-else","hosts":["api.example.com"]}`
		}
		return key, ok
	}}
	a, err := h.open(data)
	require.NoError(t, err)
	saveOrders(t, a)
	_, err = a.ExecuteJSON(t.Context(), []byte(`{"id":"book","nodes":[{"id":"n","type":"data.xlsx_write","config":{"rows":[{"a":1}],"path":"orders.xlsx"}}],"connections":[]}`), run.Request{})
	require.NoError(t, err)
	types, err := a.NodeTypes(t.Context())
	require.NoError(t, err)
	for _, spec := range types {
		t.Run(spec.Type, func(t *testing.T) {
			text, errs, status := svcCommand(t, "", "nodes", spec.Type, "--example")
			require.Zero(t, status, errs)
			def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, text, string(def.Format()))
			problems, err := a.Validate(t.Context(), def)
			require.NoError(t, err)
			require.Empty(t, problems)
			if spec.Plugin() == "media-core" && !media || slices.Contains([]string{"io.http_request", "io.webhook_post", "data.pdf_text"}, spec.Type) {
				t.Skip("needs ffmpeg, others in the network, or a process of the program's own")
			}
			if spec.Plugin() == "media-core" && raced {
				t.Skip("make test: converters are processes of their own, which the race detector only keeps waiting")
			}
			ended, err := a.Execute(t.Context(), def, run.Request{Trigger: trigger(spec)}, nil)
			require.NoError(t, err)
			if ended.Status() == engine.StatusFailed && says(spec, ended.Result().Error.Code) {
				return
			}
			require.Equal(t, engine.StatusCompleted, ended.Status(), "%v %v", ended.Err(), ended.Result().Error)
			require.NotEmpty(t, ended.Outputs())
		})
	}
}

// saveOrders saves the workflow that an example calls.
func saveOrders(t *testing.T, a *app.App) {
	t.Helper()
	orders, err := workflow.Decode([]byte(`{"id":"orders","name":"","nodes":[{"id":"out","type":"io.output","config":{"name":"orders","value":[]}}],"connections":[]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = a.Save(t.Context(), orders, workflow.Condition{})
	require.NoError(t, err)
}

// trigger returns the trigger of an example; "" without one.
func trigger(spec *node.Spec) string {
	if spec.Role == node.RoleTrigger {
		return "node"
	}
	return ""
}

// says reports whether a failure of an example names a requirement that a machine may lack: an
// account, a program, the permission of the operator.
func says(spec *node.Spec, code string) bool {
	missing := []string{"not_configured", "unknown_credential", node.CodeForbidden}
	return spec.Type == "control.fail" || slices.Contains(missing, code) &&
		slices.Contains([]string{"code", "exec", "email", "redis", "sql", "microblog", "pronet", "media-ai"}, spec.Plugin())
}

// stage makes the files that examples name. It reports whether these include videos, pictures
// and sounds.
func stage(t *testing.T, dir string) (media bool) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "reports"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "inbox"), 0o755))
	for _, name := range []string{"reports/a.csv", "reports/b.csv", "report.csv", "inbox/report.csv"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("a,b\n1,2\n"), 0o600))
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	require.NoError(t, w.AddFS(os.DirFS(filepath.Join(dir, "reports"))))
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "orders.zip"), archive.Bytes(), 0o600))
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return false
	}
	picture, tone := []string{"-f", "lavfi", "-i", "testsrc2=s=1280x720:r=5:d=3"}, []string{"-f", "lavfi", "-i", "sine=f=440:r=48000:d=3"}
	for name, from := range map[string][]string{
		"clip.mp4":  slices.Concat(picture, tone, []string{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"}),
		"sound.mp3": tone, "song.mp3": tone, "picture.png": append(picture, "-frames:v", "1"), "photo.jpg": append(picture, "-frames:v", "1"),
	} {
		cmd := exec.Command("ffmpeg", slices.Concat([]string{"-nostdin", "-v", "error"}, from, []string{filepath.Join(dir, name)})...)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", text)
	}
	return true
}

func TestEveryCommandTeaches(t *testing.T) {
	for _, command := range []string{
		"serve", "run", "validate", "nodes", "fmt", "templates", "version",
		"workflows", "workflows list", "workflows show", "workflows save", "workflows delete",
		"workflows diff", "workflows history", "workflows restore", "login", "logout", "sync", "test", "profiles", "profiles list",
	} {
		out, errs, status := svcCommand(t, "", append(strings.Fields(command), "--help")...)
		require.Zero(t, status, errs)
		_, examples, found := strings.Cut(out, "Examples:\n\n")
		require.True(t, found, command)
		examples, _, _ = strings.Cut(examples, "\n\n")
		require.GreaterOrEqual(t, strings.Count(examples, "svc "), 2, command)
	}
}

// A run that the user interrupts before it has begun ends like one interrupted later.
func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	status := execute(ctx, []string{"workflows", "list", "--data", filepath.Join(t.TempDir(), "data")}, nil, &out, &errs,
		func(string) (string, bool) { return "", false })
	require.Equal(t, exitInterrupted, status)
	require.Equal(t, "svc: interrupted\n", errs.String())
}
