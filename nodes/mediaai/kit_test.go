package mediaai_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediaai"
)

type record = map[string]any

// office runs nodes on files in a folder, with the access rules of a server.
type office struct {
	t        testing.TB
	dir      string
	scratch  string
	vars     map[string]string
	registry *node.Registry
}

func newOffice(t testing.TB, vars map[string]string) *office {
	t.Helper()
	needs(t, "ffmpeg", "ffmpeg")
	o := &office{t: t, dir: t.TempDir(), scratch: t.TempDir(), vars: vars}
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: o.dir})
	require.NoError(t, err)
	keys := new(credentials.Memory)
	ref, err := credentials.ParseRef("mediaai:main")
	require.NoError(t, err)
	require.NoError(t, keys.SetCredential(t.Context(), ref, credentials.Credential{Access: credentials.NewSecret("sk-secret")}))
	getenv := func(name string) string { return vars[name] }
	tools := media.New(media.Config{Files: env.Files, Scratch: o.scratch, Getenv: getenv})
	o.registry, err = node.NewRegistry(mediaai.New(mediaai.Config{Tools: tools, Getenv: getenv, Credentials: keys}))
	require.NoError(t, err)
	return o
}

func needs(t testing.TB, program, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("needs %s: apt-get install %s", program, pkg)
	}
}

func (o *office) run(typ string, config record) *engine.Result {
	o.t.Helper()
	def := &workflow.Definition{ID: "one", Nodes: []workflow.Node{{ID: "n", Type: typ, Config: config}}}
	plan, err := engine.Compile(o.t.Context(), def, engine.Env{Registry: o.registry})
	require.NoError(o.t, err)
	ctx := node.WithWorkspace(o.t.Context(), node.NewWorkspace("run"))
	run, err := new(engine.Local).Run(ctx, plan, engine.Options{KeepOutputs: engine.KeepAll})
	require.NoError(o.t, err)
	require.Empty(o.t, o.left())
	return run.Result()
}

func (o *office) made(typ string, config record) record {
	o.t.Helper()
	r := o.run(typ, config)
	require.Equal(o.t, engine.StatusCompleted, r.Status, "%+v", r.Error)
	return r.Nodes["n"].Outputs
}

func (o *office) refused(typ string, config record) *engine.Failure {
	o.t.Helper()
	r := o.run(typ, config)
	require.Equal(o.t, engine.StatusFailed, r.Status)
	return r.Error
}

func (o *office) left() []string {
	found, err := filepath.Glob(filepath.Join(o.scratch, "*"))
	require.NoError(o.t, err)
	return found
}

func (o *office) ffmpeg(args ...string) {
	o.t.Helper()
	cmd := exec.Command("ffmpeg", append([]string{"-hide_banner", "-nostdin", "-v", "error", "-y"}, args...)...)
	cmd.Dir = o.dir
	out, err := cmd.CombinedOutput()
	require.NoError(o.t, err, "%s", out)
}

func (o *office) read(name string) []byte {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, name))
	require.NoError(o.t, err)
	return text
}

func path(t testing.TB, v any) string {
	t.Helper()
	m, ok := v.(value.Media)
	require.True(t, ok, "%v", v)
	return m.Path
}

func file(kind, path string) record { return record{"kind": kind, "mime": "", "path": path} }

// script returns a program for the operator's configuration.
func script(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "engine")
	require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o700))
	return name
}

func serve(t testing.TB, fn http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(fn)
	t.Cleanup(s.Close)
	return s.URL
}

// without reduces PATH to ffmpeg and the given programs.
func without(t *testing.T, programs ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range append(programs, "ffmpeg", "ffprobe") {
		at, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(at, filepath.Join(dir, name)))
	}
	t.Setenv("PATH", dir)
}
