package serving

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes"
)

// filesDir is the folder of the data directory that sandboxed workflows may use.
const filesDir = "files"

// Process is the process environment of a server.
type Process struct {
	Name    string // name of the program
	Version string
	Stderr  io.Writer
	Env     func(name string) (string, bool)

	dropped *atomic.Int64 // lines of the log; set by Buffered
}

func (p *Process) getenv(name string) string {
	v, _ := p.Env(name)
	return v
}

// config returns the configuration of the service from the flags.
func (w *Work) config(p *Process, log *slog.Logger) httpapi.Config {
	return httpapi.Config{
		EnvPlugins: w.plugins(p), DataDir: w.Data.Data,
		RunMemory: cmp.Or(w.RunMemory, -1), RunCPU: w.RunCPU, Memory: Tune(p.Env), SetGCPercent: setGCPercent, Admit: w.Admit, Processors: spread(p.Env),
		FilesBytes: w.FilesBytes, FilesEntries: w.FilesEntries,
		HTTPAllow: w.HTTPAllow, Code: w.child(), Exec: w.ExecAllow, Getenv: p.Env, Log: log, LostLines: p.lostLines, Version: p.Version,
	}
}

// plugins makes the plugins whose nodes depend on what workflows may access.
func (w *Work) plugins(p *Process) func(env nodes.Env) []node.Plugin {
	return func(env nodes.Env) []node.Plugin {
		return program.Plugins(env, func(name string) string {
			if name == program.NoMedia && w.NoMedia {
				return "1"
			}
			return p.getenv(name)
		}, nil)
	}
}

// child returns the function that starts processes for scripts; nil without --code.
func (w *Work) child() func() *exec.Cmd {
	if w.Code {
		return program.Child
	}
	return nil
}

// Log returns the log for operators.
func (w *Work) Log(p *Process) *slog.Logger {
	options := &slog.HandlerOptions{Level: w.LogLevel}
	if w.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(p.Stderr, options))
}

// announce prints a message for the person who started the server: a plain line that can be
// copied, or a record if the log is JSON.
func (w *Work) announce(p *Process, log *slog.Logger, text string) {
	if w.LogFormat == "json" {
		log.Info(text)
		return
	}
	fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, text) //nolint:errcheck // there is nowhere left to say so
}

// sweep removes, in the background, partly written files that a crash has left. The returned
// function ends it.
func (d Data) sweep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var sweeping sync.WaitGroup
	sweeping.Go(func() {
		for ctx.Err() == nil { // just after a crash, leftovers are still too young to be removed
			_ = durable.Sweep(ctx, filepath.Join(d.Data, filesDir)) // errors are retried at the next sweep
			select {
			case <-ctx.Done():
			case <-time.After(durable.LeftAfter):
			}
		}
	})
	return func() {
		cancel()
		sweeping.Wait()
	}
}
