package ui

import (
	"context"
	"errors"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/runview/valueview"
	"github.com/svcflow/svc/ui/wording"
)

// nodeInputs is what came into a node when that was asked last: the inspector asks often.
type nodeInputs struct {
	run      *record.Recorder
	revision [2]int // of the run and of the document
	doc      *doc.Document
	id       string
	inputs   map[string]any
}

// came returns the inputs of a node of the level in the run that is shown; nil if unknown.
func (v *views) came(id string) map[string]any {
	shown, b := v.runs.Shown(), v.board()
	if shown == nil || b == nil {
		return nil
	}
	now := nodeInputs{run: shown.Record, revision: [2]int{shown.Record.Revision(), b.Document().Revision()}, doc: b.Document(), id: id}
	if a := &v.arrived; a.run != now.run || a.revision != now.revision || a.doc != now.doc || a.id != now.id {
		if subject, ok := runview.SubjectOf(b.Document(), id); ok {
			now.inputs = runview.InputsAt(shown.Record, &subject)
		}
		v.arrived = now
	}
	return v.arrived.inputs
}

// Timing of evaluation while the user types.
const (
	evaluateQuiet = 150 * time.Millisecond
	evaluateMost  = 2 * time.Second
)

// evaluate computes the output of a node without side effects, on this computer. The next
// call for the same field cancels the one before.
func (v *views) evaluate(field, typ string, config map[string]any, then func(inspector.Outcome)) {
	try := v.hosts.Local().Try
	if try == nil {
		return
	}
	latest := v.evaluating[field]
	if latest == nil {
		latest = v.jobs.Latest(evaluateQuiet)
		v.evaluating[field] = latest
	}
	latest.Do(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, evaluateMost)
		defer stop()
		outcome := computed(ctx, try, typ, config)
		return func() { then(outcome) }
	})
}

// computed runs one node by itself.
func computed(ctx context.Context, try func(context.Context, *workflow.Definition, run.Request, func(engine.Event)) error, typ string, config map[string]any) (o inspector.Outcome) {
	const id = "it"
	def := &workflow.Definition{ID: id, Nodes: []workflow.Node{{ID: id, Type: typ, Config: config}}}
	err := try(ctx, def, run.Request{}, func(e engine.Event) {
		if e.Name != engine.EventNode || e.NodeID != id {
			return
		}
		o.Outputs, o.Valid = e.Outputs, e.Status == engine.StatusSucceeded
		if e.Error != nil {
			o.Failure, o.Valid = e.Error.Message, true
		}
	})
	if invalid := engine.ValidationErrors(nil); errors.As(err, &invalid) {
		return inspector.Outcome{}
	}
	return o
}

// portLinesCache caches the lines of one port: the canvas asks for them whenever it is drawn.
type portLinesCache struct {
	run      *record.Recorder
	revision [2]int // of the run and of the document
	doc      *doc.Document
	port     cards.PortRef
	lines    []string
}

// portLines returns a few lines about the values at a port in the run that is shown.
func (v *views) portLines(ref cards.PortRef) []string {
	run, b := v.runs.Shown(), v.board()
	if run == nil || b == nil {
		return nil
	}
	now := portLinesCache{run: run.Record, revision: [2]int{run.Record.Revision(), b.Document().Revision()}, doc: b.Document(), port: ref}
	if p := &v.peeked; p.run != now.run || p.revision != now.revision || p.doc != now.doc || p.port != now.port {
		now.lines = v.throughPort(ref).Lines()
		v.peeked = now
	}
	return v.peeked.lines
}

func (v *views) throughPort(ref cards.PortRef) runview.Through {
	run, b := v.runs.Shown(), v.board()
	if run == nil || b == nil {
		return runview.Through{}
	}
	subject, ok := runview.SubjectOf(b.Document(), ref.Node)
	if !ok {
		return runview.Through{}
	}
	return runview.ThroughPort(run.Record, &subject, ref.Port, ref.Output)
}

// through returns lines about the output of a node of the level; text returns the whole
// output, and is nil if there is no output.
func (v *views) through(id, port string) (lines []string, text func() string) {
	t := v.throughPort(cards.PortRef{Node: id, Port: port, Output: true})
	if t.Known {
		text = func() string { return t.Text(math.MaxInt32) }
	}
	return t.Lines(), text
}

// openValue shows an output of a node in the panel of values.
func (v *views) openValue(id, port string) {
	run, b := v.runs.Shown(), v.board()
	if run == nil || b == nil {
		return
	}
	subject, ok := runview.SubjectOf(b.Document(), id)
	if !ok {
		return
	}
	v.outcome = outcome{run: run.Record, selected: v.selected(), subject: subject}
	v.panels.ShowOutput()
	v.refreshRun()
	v.output.Pick(port)
}

// values is the configuration of views of values.
func (v *views) values() valueview.Config {
	return valueview.Config{
		Jobs: v.jobs, Copy: v.config.App.Clipboard().SetContent, Play: v.play,
		Media: func() poster.Host { return v.hosts.Here().Media },
	}
}

// play opens a media file in the user's own program for it: a copy in a folder that is
// deleted with the window, so that a workflow cannot choose the name of a file that is
// opened.
func (v *views) play(m value.Media) {
	at := v.hosts.Here().Media
	if at == nil {
		return
	}
	v.jobs.Go(job.Reporting(user{v.dialogs, v}, lang.L("Fetching the file…"), func(ctx context.Context) (func(), error) {
		folder, err := v.opened.folder()
		if err != nil {
			return nil, err
		}
		name, err := poster.Fetch(ctx, at, m, folder)
		if err != nil {
			return nil, errors.New(wording.Of(err.Error()))
		}
		return func() {
			if err := v.config.App.OpenURL(fileURL(name)); err != nil {
				v.Complain(err)
			}
		}, nil
	}))
}

// fileURL returns the URL of a local file.
func fileURL(name string) *url.URL {
	name = filepath.ToSlash(name)
	if name[0] != '/' { // of Windows
		name = "/" + name
	}
	return &url.URL{Scheme: "file", Path: name}
}

// copies are files that were fetched to be opened.
type copies struct {
	mu  sync.Mutex
	dir string // "" before the first
}

// folder returns their folder.
func (c *copies) folder() (dir string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir == "" {
		c.dir, err = os.MkdirTemp("", "svc-desktop-")
	}
	return c.dir, err
}

// clear deletes them.
func (c *copies) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir != "" {
		_ = os.RemoveAll(c.dir) // a file still open in another program is deleted with the system's temporary files
		c.dir = ""
	}
}
