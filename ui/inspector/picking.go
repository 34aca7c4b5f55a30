package inspector

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// credentialControl proposes the known accounts that fit the port.
func credentialControl(d *editor, p *node.Port, out outlet) control {
	box := newCombo(d, false)
	w := writerOf(box, p, out)
	proposals(w, box, func() []string {
		return slices.DeleteFunc(slices.Clone(d.cfg.Accounts()), func(ref string) bool {
			network, _, _ := strings.Cut(ref, ":")
			return len(p.Networks) > 0 && !slices.Contains(p.Networks, network)
		})
	})
	if d.cfg.Connect == nil {
		return w
	}
	network := ""
	if len(p.Networks) == 1 {
		network = p.Networks[0]
	}
	addButton(w, lang.L("Connect…"), func() {
		d.cfg.Connect(network, func(ref string) {
			if d.current() {
				d.take(w, ref)
			}
		})
	})
	return w
}

// workflowControl proposes the stored workflows.
func workflowControl(d *editor, p *node.Port, out outlet) control {
	box := newCombo(d, false)
	w := writerOf(box, p, out)
	proposals(w, box, d.cfg.Workflows)
	return w
}

// choicesControl offers the host's choices when it is opened: the mailboxes, for example,
// depend on the account that was chosen above.
func choicesControl(d *editor, p *node.Port, out outlet) control {
	box := newCombo(d, isMono(p))
	w := writerOf(box, p, out)
	box.ask = func(then func([]proposal)) {
		n, ok := d.subject.doc.Node(d.subject.id)
		if !ok {
			return
		}
		d.cfg.Choices(d.subject.typ, p.Name, n.Config, func(all []node.Choice, err error) {
			if !d.current() {
				return
			}
			if err != nil {
				out.wrong(wording.Of(err.Error()))
				return
			}
			then(proposalsOf(all, w.syntax.write))
		})
	}
	return w
}

func proposalsOf(all []node.Choice, write func(any) string) []proposal {
	var found []proposal
	for _, c := range all {
		found = append(found, proposal{c.Label, write(c.Value)})
		if c.Label == "" {
			found[len(found)-1].label = write(c.Value)
		}
	}
	return found
}

// fileControl lets the user pick a file; for a list of files, one more.
func fileControl(d *editor, p *node.Port, out outlet) control {
	w := writerOf(newEntry(d, rowsOf(p), false), p, out)
	if d.cfg.PickFile == nil {
		return w
	}
	addButton(w, lang.L("Browse…"), func() {
		d.cfg.PickFile(func(path string) {
			if !d.current() {
				return
			}
			if p.Type.Kind() == value.KindList {
				path = oneMore(w, path)
			}
			d.take(w, path)
		})
	})
	return w
}

// oneMore returns the text of a list with one item appended.
func oneMore(w *writer, item string) string {
	now, _, err := w.syntax.read(w.box.core().Text)
	list, _ := now.([]any)
	if err != nil {
		list = nil
	}
	return w.syntax.write(append(slices.Clone(list), item))
}

// take sets the text of an entry as if it had been typed, as one step.
func (d *editor) take(w *writer, text string) {
	d.seal()
	w.box.core().SetText(text)
	d.seal()
}

func addButton(w *writer, title string, tapped func()) {
	button := kit.NewButton(title, tapped)
	button.Importance = widget.LowImportance
	w.extra = append(w.extra, button)
	w.whole = container.New(withButton{}, w.box, kit.Inset(button))
}

// proposals updates the proposals of a combo.
func proposals(w *writer, box *combo, options func() []string) {
	w.refresh = func() { box.propose(options()) }
}
