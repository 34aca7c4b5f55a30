package runview

import (
	"context"
	"slices"

	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/wording"
)

// entry is one line of the list of inputs and outputs.
type entry struct {
	key     entryKey
	heading string // of a line that is no value
	given   portValue
	failure *engine.Failure
}

// entryKey names a line, so that the same one can be found again.
type entryKey struct {
	part part
	port string
}

type part uint8

const (
	noPart part = iota
	errorPart
	inputPart
	outputPart
)

// entriesOf returns the lines for a step; nil is the workflow. There are none as long
// as there is nothing to show.
func (o *Output) entriesOf(step *fold.Step) (entries []entry) {
	switch {
	case o.run == nil || o.subject.Path != "" && step == nil:
		return nil
	case step == nil:
		return append(failureEntries(o.run.Error), section(lang.L("Outputs"), outputPart, o.workflowOutputs())...)
	}
	entries = append(entries, failureEntries(step.Error)...)
	outputs, inputs := outputsOf(&o.subject, step), inputsOf(o.run, &o.subject, step.Path)
	o.complete(outputs)
	o.complete(inputs)
	entries = append(entries, section(lang.L("Outputs"), outputPart, outputs)...)
	return append(entries, section(lang.L("Inputs"), inputPart, inputs)...)
}

// complete fills in values that were too large for the events and have been loaded.
func (o *Output) complete(values []portValue) {
	for i := range values {
		g := &values[i]
		if g.source != o.full.node || o.full.run != o.run.RunID {
			continue
		}
		if v, ok := o.full.outputs[g.sourcePort]; ok && g.known {
			g.value = v
		}
	}
}

func (o *Output) workflowOutputs() (out []portValue) {
	for _, name := range sortedKeys(o.run.Outputs) {
		out = append(out, portValue{port: name, value: o.run.Outputs[name], known: true})
	}
	return out
}

func failureEntries(f *engine.Failure) []entry {
	if f == nil {
		return nil
	}
	return []entry{{key: entryKey{part: errorPart}, failure: f}}
}

func section(heading string, p part, values []portValue) []entry {
	if len(values) == 0 {
		return nil
	}
	entries := []entry{{heading: heading}}
	for _, g := range values {
		entries = append(entries, entry{key: entryKey{p, g.port}, given: g})
	}
	return entries
}

// pickEntry selects the line that was chosen before, else a failure, else the first
// output that is more than a word, else the first line that has something to show.
func (o *Output) pickEntry() {
	i := slices.IndexFunc(o.entries, func(e entry) bool { return e.key == o.port && e.heading == "" })
	if i < 0 {
		i = slices.IndexFunc(o.entries, func(e entry) bool {
			return e.failure != nil || e.key.part == outputPart && e.given.known && worthALook(e.given.value)
		})
	}
	if i < 0 {
		i = slices.IndexFunc(o.entries, func(e entry) bool { return e.given.known })
	}
	if i < 0 {
		o.list.UnselectAll()
		o.view.Say("")
		return
	}
	keep := o.port
	o.list.UnselectAll()
	o.list.Select(i)
	o.port = keep // only the user chooses
}

// worthALook reports whether a value has more to show than fits on its line.
func worthALook(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	case string:
		const short = 40
		return len(v) > short
	}
	return false
}

// choose shows the value of a line.
func (o *Output) choose(i widget.ListItemID) {
	if i >= len(o.entries) {
		return
	}
	e := &o.entries[i]
	if e.heading != "" {
		o.list.Unselect(i)
		return
	}
	o.port, o.seen = e.key, *e
	switch {
	case e.failure != nil:
		o.view.Show(o.failureText(e.failure), view.Wish{Kind: view.Text})
	case !e.given.known:
		o.view.Say(absentText(e.key.part))
	default:
		o.showValue(&e.given)
	}
}

func absentText(p part) string {
	if p == inputPart {
		return lang.L("Nothing came in here.")
	}
	return lang.L("Nothing came out here.")
}

// failureText is all that is known of a failure.
func (o *Output) failureText(f *engine.Failure) string {
	text := wording.Of(f.Message)
	if advice := adviceFor(f.Code); advice != "" {
		text += "\n\n" + advice
	}
	if _, step := o.current(); step != nil {
		if came := cameIn(inputsOf(o.run, &o.subject, step.Path)); came != "" {
			text += "\n\n" + lang.L("What came in:") + came
		}
	}
	text += "\n\n" + lang.L("Code: {{.Code}}", map[string]any{"Code": f.Code})
	if f.NodeID != "" && f.NodeID != o.subject.Path {
		text += "\n" + lang.L("Node: {{.Node}}", map[string]any{"Node": f.NodeID})
	}
	if _, step := o.current(); step != nil && step.Attempts > 0 {
		text += "\n" + lang.L("Attempts: {{.N}}", map[string]any{"N": step.Attempts})
		if step.Handled {
			text += "\n" + lang.L("The error port took the error, so the run went on.")
		}
	}
	return text
}

// showValue shows a value, or offers to load it.
func (o *Output) showValue(g *portValue) {
	bytes, elided := engine.Elided(g.value)
	if !elided {
		var wish view.Wish
		if g.port == o.subject.Shows.Port {
			wish = o.subject.Shows.Wish(o.inputs())
		}
		o.view.Show(g.value, wish)
		return
	}
	size := map[string]any{"Size": view.Bytes(bytes)}
	switch {
	case o.config.Full == nil || g.source == "" || g.source.Inside():
		o.view.Say(lang.L("Too large to store for a step of a loop: {{.Size}}.", size))
	case o.run.Running():
		o.view.Say(lang.L("Too large to show while the run is in progress: {{.Size}}.", size))
	default:
		o.view.Offer(lang.L("Too large to show here: {{.Size}}.", size), lang.L("Load"), func() { o.load(g.source) })
	}
}

// inputs returns what came in at the step that is shown.
func (o *Output) inputs() map[string]any {
	inputs := map[string]any{}
	if _, step := o.current(); step != nil {
		for _, g := range inputsOf(o.run, &o.subject, step.Path) {
			if g.known {
				inputs[g.port] = g.value
			}
		}
	}
	return inputs
}

// load asks for the whole outputs of a node, and shows them.
func (o *Output) load(nodeID fold.Path) {
	o.view.Say(lang.L("Loading …"))
	full, runID := o.config.Full, o.run.RunID
	o.loading.Now(func(ctx context.Context) func() {
		outputs, err := full(ctx, runID, string(nodeID))
		return func() {
			if err != nil {
				o.view.Offer(lang.L("It cannot be loaded: {{.Error}}", map[string]any{"Error": wording.Of(err.Error())}), lang.L("Try again"), func() { o.load(nodeID) })
				return
			}
			o.full = fullOutputs{runID, nodeID, outputs}
			o.stamp = ""
			o.refresh()
		}
	})
}
