package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/exec"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

const run = "exec.run"

// commands are the commands that tests may run. With sh, a test can do anything.
func commands() []string { return []string{"sh", "printf", "cat", "no-such-command"} }

// host returns a host with a folder that contains another folder.
func host(t *testing.T) (*nodetest.Host, string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "inner"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	getenv := func(name string) string {
		return map[string]string{"PATH": os.Getenv("PATH"), "SVC_API_KEY": "canary"}[name]
	}
	return nodetest.New(t, exec.Plugin(exec.Config{Commands: commands(), Files: root, Getenv: getenv})), dir
}

func TestSpecs(t *testing.T) { nodetest.Check(t, exec.Plugin(exec.Config{})) }

func TestRandom(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	p := exec.Plugin(exec.Config{Commands: commands(), Files: root, Getenv: os.Getenv})
	nodetest.Quick(t, p, map[string][]map[string]any{run: {{"command": "printf", "dir": "."}}})
}

func TestRun(t *testing.T) {
	h, dir := host(t)
	for name, tt := range map[string]struct{ config, want record }{
		"no shell":    {record{"command": "printf", "args": []any{"%s|", "$HOME *", "a b; rm -rf /", ""}}, record{"stdout": "$HOME *|a b; rm -rf /||", "stderr": "", "exitCode": 0, "ok": true}},
		"a failure":   {record{"command": "sh", "args": []any{"-c", "echo no >&2; exit 3"}}, record{"stdout": "", "stderr": "no\n", "exitCode": 3, "ok": false}},
		"a signal":    {record{"command": "sh", "args": []any{"-c", "kill -9 $$"}}, record{"stdout": "", "stderr": "", "exitCode": -1, "ok": false}},
		"stdin":       {record{"command": "cat", "stdin": "ä\n"}, record{"stdout": "ä\n", "stderr": "", "exitCode": 0, "ok": true}},
		"variables":   {record{"command": "sh", "args": []any{"-c", `echo "$A-$SVC_API_KEY"`}, "env": record{"A": "b"}}, record{"stdout": "b-\n", "stderr": "", "exitCode": 0, "ok": true}},
		"a folder":    {record{"command": "sh", "args": []any{"-c", "pwd -P"}, "dir": "inner"}, record{"stdout": filepath.Join(dir, "inner") + "\n", "stderr": "", "exitCode": 0, "ok": true}},
		"no text":     {record{"command": "printf", "args": []any{`\377`}}, record{"stdout": "\ufffd", "stderr": "", "exitCode": 0, "ok": true}},
		"just enough": {record{"command": "printf", "args": []any{"12345"}, "maxBytes": 5}, record{"stdout": "12345", "stderr": "", "exitCode": 0, "ok": true}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := h.Exec(run, tt.config, nil)
			require.NoError(t, err)
			require.Equal(t, tt.want, out)
		})
	}
}

func TestRefused(t *testing.T) {
	h, _ := host(t)
	for _, tt := range []struct {
		config     record
		code, says string
	}{
		{record{"command": "rm"}, node.CodeForbidden, "--exec-allow"},
		{record{"command": "/bin/sh"}, node.CodeForbidden, "--exec-allow"},
		{record{"command": "./sh"}, node.CodeForbidden, "--exec-allow"},
		{record{"command": "no-such-command"}, "not_found", "not installed"},
		{record{"command": "cat", "dir": "nowhere"}, "not_found", "nowhere"},
		{record{"command": "cat", "dir": "file"}, node.CodeInvalidInput, "no folder"},
		{record{"command": "cat", "maxBytes": -1}, node.CodeInvalidInput, "maxBytes"},
		{record{"command": "cat", "env": record{"LD_PRELOAD": "x"}}, node.CodeForbidden, "LD_PRELOAD"},
		{record{"command": "cat", "env": record{"PATH": "/tmp"}}, node.CodeForbidden, "PATH"},
		{record{"command": "cat", "env": record{"A": 1}}, node.CodeInvalidInput, "texts"},
		{record{"command": "cat", "env": record{"A=B": ""}}, node.CodeInvalidInput, "cannot be"},
		{record{"command": "printf", "args": []any{"123456"}, "maxBytes": 5}, node.CodeLimitExceeded, "maxBytes"},
		{record{"command": "sh", "args": []any{"-c", "while :; do echo 1234567890; done"}}, node.CodeLimitExceeded, "1048576"},
	} {
		_, err := h.Exec(run, tt.config, nil)
		require.Equal(t, tt.code, node.CodeOf(err), "%v: %v", tt.config, err)
		require.ErrorContains(t, err, tt.says)
	}
	_, err := h.Exec(run, record{"command": "cat", "dir": ".."}, nil)
	require.Error(t, err)
	require.NotEmpty(t, h.Problems(run, record{}, "command"), "no wire names a command")
}

// When the node ends, the child processes of its command are killed.
func TestGroup(t *testing.T) {
	h, dir := host(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		_, err := h.ExecContext(ctx, run, record{"command": "sh", "args": []any{"-c", "sleep 60 & echo $! >pid; wait"}}, nil)
		ended <- err
	}()
	go func() {
		defer close(began)
		for ctx.Err() == nil {
			if text, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil && len(text) > 0 {
				return
			}
		}
	}()
	<-began
	cancel()
	require.Error(t, <-ended)
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		return err != nil || strings.Contains(string(state), ") Z ")
	}, time.Minute, 10*time.Millisecond)
}
