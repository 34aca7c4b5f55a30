package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/fold"
)

// recording makes a case for svc test from a run. A nil recording records nothing.
type recording struct {
	web   *flowtest.Recorder
	types map[string]string // types of the nodes that call something outside, by path

	mu    sync.Mutex
	ended []engine.Event // the ends of these nodes
}

// recording returns a recording for --record; nil without that flag.
func (c *runCmd) recording() (*recording, error) {
	switch {
	case c.Record == "":
		return nil, nil
	case c.DryRun:
		return nil, usagef("--dry-run calls nothing that --record could record; leave one of them out")
	case len(c.Override) > 0:
		return nil, usagef("a case runs the workflow as its file has it; put what --override sets into the file, or leave out --record")
	case c.Workflow == "-" || !isWorkflowHere(c.Workflow) || !isFile(c.Workflow):
		return nil, usagef("--record needs the file of a workflow, which the case names; `svc templates` and `svc workflows show` print into one")
	case !isTest(c.Record):
		return nil, usagef("--record %s: files of tests end in %s", c.Record, testSuffix)
	}
	return &recording{web: &flowtest.Recorder{}}, nil
}

// transport returns a function that wraps the HTTP transport of the workflow to record it.
func (r *recording) transport() func(http.RoundTripper) http.RoundTripper {
	if r == nil {
		return nil
	}
	return func(real http.RoundTripper) http.RoundTripper {
		r.web.Transport = real
		return r.web
	}
}

// outside finds the nodes that call something outside.
func (r *recording) outside(ctx context.Context, l *localRun) (err error) {
	if r != nil {
		r.types, err = l.reaching(ctx, true)
	}
	return err
}

// observer returns a function that records events of the run and passes them on to observe.
func (r *recording) observer(observe func(engine.Event)) func(engine.Event) {
	if r == nil {
		return observe
	}
	return func(e engine.Event) {
		if observe != nil {
			observe(e)
		}
		ended := e.Name == engine.EventNode && (e.Status == engine.StatusSucceeded || e.Status == engine.StatusFailed)
		if ended && r.types[fold.Path(e.NodeID).Node()] != "" {
			r.mu.Lock()
			r.ended = append(r.ended, e)
			r.mu.Unlock()
		}
	}
}

// write adds the case to the file.
func (r *recording) write(h *host, c *runCmd, l *localRun, result *engine.Result) error {
	if r == nil {
		return nil
	}
	source, err := filepath.Rel(filepath.Dir(c.Record), c.Workflow)
	if err != nil {
		return err
	}
	file := &flowtest.File{Workflow: filepath.ToSlash(source)}
	switch known, err := h.readTests(c.Record); {
	case err == nil && known.Workflow != file.Workflow:
		return usagef("%s has cases of %s, not of %s; record into another file", c.Record, known.Workflow, file.Workflow)
	case err == nil:
		file = known
	case !missing(c.Record):
		return err
	}
	made := flowtest.Case{
		Name: file.Unused(fmt.Sprintf("recorded %d", len(file.Cases)+1)), Inputs: l.request.Inputs, Trigger: l.request.Trigger, Payload: l.request.Payload, Pins: r.pins(h, l, result),
		HTTP: r.web.Exchanges(), Outputs: result.Outputs,
	}
	if result.Status != engine.StatusCompleted {
		made.Status = result.Status.String()
	}
	if made.Outputs == nil {
		made.Outputs = map[string]any{}
	}
	file.Cases = append(file.Cases, made)
	text, err := file.Encode()
	if err != nil {
		return err
	}
	if err := newFile(c.Record, text); err != nil {
		return err
	}
	h.errorf("recorded as %q in %s", made.Name, c.Record)
	return nil
}

// newFile writes a file that others may read, and makes its directory if necessary.
func newFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // tests and reports are no secrets
		return err
	}
	return durable.Replace(path, text, durable.Options{Perm: 0o644})
}

// missing reports whether the file does not exist.
func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// pins returns the outcomes of mocked nodes, and of nodes that call something outside other
// than by recorded HTTP requests.
func (r *recording) pins(h *host, l *localRun, result *engine.Result) map[string]engine.Pin {
	pins := l.request.Pins
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.ended {
		e := &r.ended[i]
		_, one := pins[e.NodeID]
		_, all := pins[fold.Path(e.NodeID).Node()]
		if one || all || r.web.Asked(result.RunID+"/"+e.NodeID) {
			continue
		}
		if e.Redacted {
			h.errorf("the outputs of %s held secrets, which are not recorded", oneLine(e.NodeID))
		}
		pins[e.NodeID] = engine.Pin{Outputs: e.Outputs}
		if e.Error != nil {
			pins[e.NodeID] = engine.Pin{Error: &engine.Failure{Code: e.Error.Code, Message: e.Error.Message}}
		}
	}
	return pins
}
