package main

import (
	"bytes"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/httpapi"
)

// atTerminal runs svc with a terminal as its input, on which somebody types, and returns its
// answer and what showed on the screen.
func atTerminal(t *testing.T, typed string, env map[string]string, args ...string) (status int, out, shown string) {
	t.Helper()
	program, screen := openTerminal(t)
	done := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(screen) // ends with EIO once the program has closed its end
		done <- string(text)
	}()
	_, err := screen.WriteString(typed)
	require.NoError(t, err)
	var answer bytes.Buffer
	status = execute(t.Context(), args, program, &answer, program, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	require.NoError(t, program.Close())
	shown = <-done
	require.NoError(t, screen.Close())
	return status, answer.String(), shown
}

func TestAskedAtATerminal(t *testing.T) {
	service, err := httpapi.New(httpapi.Config{APIKey: testServerKey, DataDir: t.TempDir(), Getenv: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		server.Close()
		require.NoError(t, service.Close(t.Context()))
	})
	env := map[string]string{configVariable: filepath.Join(t.TempDir(), "new")}

	status, out, shown := atTerminal(t, testServerKey+"\n", env, "login", server.URL, "--profile", "mine")
	require.Zero(t, status, shown)
	require.Contains(t, out, "logged in at "+server.URL)
	require.Contains(t, shown, "API key of "+server.URL+" (it is not shown): ")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"id":"a","nodes":[],"connections":[]}`), 0o600))
	for _, tt := range []struct{ typed, says string }{{"n\n", "upload"}, {"\n", "upload"}, {"Y\n", "done: 1 change"}, {"", "nothing to do"}} {
		status, out, shown := atTerminal(t, tt.typed, env, "sync", dir)
		require.Zero(t, status, shown)
		require.Contains(t, out, tt.says)
		require.Equal(t, tt.typed == "Y\n", bytes.Contains([]byte(out), []byte("done")))
		require.Contains(t, shown, "(profile mine)")
		if tt.typed != "" {
			require.Contains(t, shown, "Do this? [y/N] ")
		}
	}
}
