package main

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"svc": main})
}

// TestScripts runs the scripts in testdata/script, which show what each command
// does. With UPDATE set, files in them that differ from what was printed are
// rewritten.
func TestScripts(t *testing.T) {
	deadline := time.Now().Add(10 * time.Minute) // a server that does not end fails its script; the race detector makes each start slow
	ctx, cancel := context.WithDeadline(context.Background(), deadline)
	t.Cleanup(cancel)
	testscript.Run(t, testscript.Params{
		Deadline:            deadline,
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Setenv(configVariable, filepath.Join(e.WorkDir, ".config")) // and not that of who runs the tests
			e.Values[sessionKey{}] = &session{ctx: ctx}
			e.Defer(e.Values[sessionKey{}].(*session).kill)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start":  startCommand,
			"await":  awaitCommand,
			"signal": signalCommand,
			"finish": finishCommand,
			"http":   httpCommand,
			"status": statusCommand,
			"secret": secretCommand,
		},
	})
}
