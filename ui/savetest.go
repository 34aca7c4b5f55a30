package ui

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/runs"
)

// testSuffix is the extension of test files.
const testSuffix = ".test.json"

// CanSaveTest reports whether the run that is shown can be saved as a test.
func (r *runCommands) CanSaveTest() bool {
	shown := r.runs.Shown()
	return shown != nil && !shown.Running && !shown.Past && shown.Ran != nil && shown.Record.Over()
}

// SaveTest saves the run that is shown as a case for svc test.
func (r *runCommands) SaveTest() {
	work, shown := r.workspace.Active(), r.runs.Shown()
	if work == nil || !r.CanSaveTest() {
		return
	}
	source := work.Origin().File
	switch {
	case source == "" || work.Document.Edited():
		r.views.Complain(errors.New(lang.L("Save the workflow in a file first: the test runs what is there.")))
		return
	case !sameWork(shown.Ran.Def, work.Document.Definition()):
		r.views.Complain(errors.New(lang.L("The run that is shown is not one of the whole workflow as it is now: run it first.")))
		return
	}
	made, err := r.caseOf(shown)
	if err != nil {
		r.views.Complain(err)
		return
	}
	proposed := strings.TrimSuffix(source, filepath.Ext(source)) + testSuffix
	r.dialogs.AskTest(proposed, lang.L("as it ran"), func(file, name string) {
		made.Name = name
		if err := addCase(file, source, made); err != nil {
			r.views.Complain(fmt.Errorf("%s: %w", file, err))
			return
		}
		r.views.Tell(lang.L("Saved as a test in {{.File}}", map[string]any{"File": file}), false)
	})
}

// sameWork reports whether two definitions are equal except for the positions of their nodes.
func sameWork(a, b *workflow.Definition) bool {
	return bytes.Equal(bare(a).AppendJSON(nil), bare(b).AppendJSON(nil))
}

// bare returns a workflow without its drawing.
func bare(def *workflow.Definition) *workflow.Definition {
	made := &workflow.Definition{ID: def.ID}
	for _, n := range def.Nodes {
		n.Position, n.Size, n.Label = nil, nil, ""
		if n.Body != nil {
			n.Body = bare(n.Body)
		}
		made.Nodes = append(made.Nodes, n)
	}
	for _, c := range def.Connections {
		c.Via = nil
		made.Connections = append(made.Connections, c)
	}
	return made
}

// caseOf makes a test case of a run: its inputs and outputs, with a pin for each node with
// side effects.
func (r *runCommands) caseOf(shown *runs.Run) (flowtest.Case, error) {
	ran := shown.Ran
	c := flowtest.Case{Inputs: ran.Inputs, Trigger: ran.Trigger, Payload: ran.Payload, Pins: map[string]engine.Pin{}, Outputs: shown.Record.Outputs}
	if c.Outputs == nil {
		c.Outputs = map[string]any{}
	}
	if shown.Record.Status != engine.StatusCompleted {
		c.Status = shown.Record.Status.String()
	}
	if fired := shown.Record.Node(ran.Trigger); ran.Trigger != "" && fired != nil && fired.Last != nil {
		c.Payload = fired.Last.Outputs
	}
	maps.Copy(c.Pins, ran.Pins)
	for _, n := range shown.Record.Rows() {
		if _, pinned := c.Pins[n.Name]; pinned || !r.reaches(ran.Def, n.Name) {
			continue
		}
		steps := shown.Record.Steps(n)
		if len(steps) < n.Done {
			return c, errors.New(lang.L("“{{.Node}}” ran too often: not all that it gave is known any more.", map[string]any{"Node": n.Name}))
		}
		for _, step := range steps {
			if err := pinStep(c.Pins, step); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// reaches reports whether a node, by its path, has side effects and is called by the run
// itself.
func (r *runCommands) reaches(def *workflow.Definition, path string) bool {
	containers, id := fold.Split(path)
	for _, c := range containers {
		n := nodeOf(def, c)
		if n == nil || n.Body == nil {
			return false // of a stored workflow, whose container is pinned
		}
		def = n.Body
	}
	n := nodeOf(def, id)
	if n == nil {
		return false
	}
	spec, known := r.specs.Lookup(n.Type)
	return !known || spec.Role == node.RoleStep && !spec.Pure && (!spec.Container || n.Body == nil)
}

func nodeOf(def *workflow.Definition, id string) *workflow.Node {
	for i := range def.Nodes {
		if def.Nodes[i].ID == id {
			return &def.Nodes[i]
		}
	}
	return nil
}

// pinStep pins a step to its outputs.
func pinStep(pins map[string]engine.Pin, step *fold.Step) error {
	switch step.Status {
	case engine.StatusFailed:
		pins[string(step.Path)] = engine.Pin{Error: &engine.Failure{Code: step.Error.Code, Message: step.Error.Message}}
	case engine.StatusSucceeded:
		for _, v := range step.Outputs {
			if bytes, elided := engine.Elided(v); elided {
				return errors.New(lang.L("What “{{.Node}}” gave is too large to be used again: {{.Size}}.", map[string]any{"Node": string(step.Path), "Size": view.Bytes(bytes)}))
			}
		}
		pins[string(step.Path)] = engine.Pin{Outputs: step.Outputs}
	default: // it has no result
	}
	return nil
}

// addCase adds a case to the test file of a workflow, which it may create.
func addCase(path, source string, c flowtest.Case) error {
	if !strings.HasSuffix(path, testSuffix) {
		return errors.New(lang.L("The names of files of tests end in .test.json."))
	}
	from, err := filepath.Rel(filepath.Dir(path), source)
	if err != nil {
		return err
	}
	file := &flowtest.File{Workflow: filepath.ToSlash(from)}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		known, err := flowtest.Decode(text)
		if err != nil {
			return err
		}
		if known.Workflow != file.Workflow {
			return errors.New(lang.L("The file has tests of another workflow: {{.File}}.", map[string]any{"File": known.Workflow}))
		}
		file = known
	}
	if c.Name == "" {
		c.Name = lang.L("as it ran")
	}
	c.Name = file.Unused(c.Name)
	file.Cases = append(file.Cases, c)
	if text, err = file.Encode(); err != nil {
		return err
	}
	return durable.Rewrite(path, text)
}
