package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// svcCommand runs svc in this process.
func svcCommand(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	status = obey(t.Context(), args, strings.NewReader(stdin), &out, &errs, func(string) (string, bool) { return "", false })
	return out.String(), errs.String(), status
}

func openForTest(t *testing.T) *app.App {
	t.Helper()
	h := &host{env: func(string) (string, bool) { return "", false }}
	a, err := h.open(t.TempDir())
	require.NoError(t, err)
	return a
}

// TestEveryExampleRuns runs the example of each node type that reaches nothing
// outside of the process, and checks those of the others.
func TestEveryExampleRuns(t *testing.T) {
	a := openForTest(t)
	orders, err := workflow.Decode([]byte(`{"id":"orders","name":"","nodes":[{"id":"out","type":"io.output","config":{"name":"orders","value":[]}}],"connections":[]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = a.Save(t.Context(), orders, workflow.Condition{}) // which an example asks
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
			if !spec.Pure && !spec.Container {
				return
			}
			ended, err := a.Execute(t.Context(), def, run.Request{}, nil)
			require.NoError(t, err)
			require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
			require.NotEmpty(t, ended.Outputs())
		})
	}
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

// A run that its user interrupts before it began ends like one interrupted later.
func TestInterruptedBeforeItBegan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	status := obey(ctx, []string{"workflows", "list", "--data", filepath.Join(t.TempDir(), "data")}, nil, &out, &errs,
		func(string) (string, bool) { return "", false })
	require.Equal(t, exitInterrupted, status)
	require.Equal(t, "svc: interrupted\n", errs.String())
}
