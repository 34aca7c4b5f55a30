package inspector

import (
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// settings is the part of a node's page that all types share: retries, timeout, whether it is
// disabled, and its id.
type settings struct {
	editor *editor
	id     string

	fields   []*setting
	disabled *kit.Check
	rename   *field
	box      *entry
	retry    *fyne.Container // shown only with more than one attempt
	whole    *fyne.Container
}

// setting is a number of a node.
type setting struct {
	*field

	of func(n *workflow.Node) (v any, given bool)
}

func newSettings(d *editor, id string, spec *node.Spec) *settings {
	s := &settings{editor: d, id: id}
	standard := node.DefaultTimeout
	if spec != nil && spec.Timeout > 0 {
		standard = spec.Timeout
	}
	s.disabled = kit.NewCheck(lang.L("Disabled: skip this node"), s.disable)
	s.newRename()
	s.whole = kit.Column(12)
	if spec == nil || spec.Role == node.RoleStep {
		s.addTimeout(strconv.FormatInt(standard.Milliseconds(), 10))
		s.addRetry()
	}
	s.whole.Add(kit.Column(4, flush(s.disabled)))
	s.whole.Add(s.rename.whole)
	return s
}

func (s *settings) addTimeout(standard string) {
	s.add(s.whole, heading{name: lang.L("Timeout"), kind: "ms", ink: kit.Dim, hint: lang.L("How long one attempt may take.")}, standard, 1,
		func(n *workflow.Node) (any, bool) { return n.TimeoutMs, n.TimeoutMs != 0 },
		func(v any, _ bool) error {
			ms, _ := v.(int)
			return s.editor.edit(func(d *doc.Document) error { return d.SetTimeout(s.id, ms) })
		})
}

func (s *settings) addRetry() {
	s.add(s.whole, heading{name: lang.L("Attempts"), kind: "int", ink: colors.OfType(value.Int()), hint: lang.L("How often it is tried in all when it fails.")}, "1", 1,
		func(n *workflow.Node) (any, bool) { return n.Retry.Attempts(), n.Retry != nil },
		s.setAttempts)
	s.retry = kit.Column(12)
	s.whole.Add(s.retry)
	s.addPart(lang.L("First pause"), "ms", "200", 1, func(r *workflow.Retry) *int { return &r.InitialMs })
	s.addFactor()
	s.addPart(lang.L("Longest pause"), "ms", "10000", 1, func(r *workflow.Retry) *int { return &r.MaxMs })
}

// addPart adds a field for an int of the retry settings; 0 is the default.
func (s *settings) addPart(name, unit, standard string, low int, part func(*workflow.Retry) *int) {
	s.add(s.retry, heading{name: name, kind: unit, ink: kit.Dim}, standard, low,
		func(n *workflow.Node) (any, bool) {
			if n.Retry == nil {
				return 0, false
			}
			v := *part(n.Retry)
			return v, v != 0
		},
		func(v any, _ bool) error {
			return s.setRetry(func(r *workflow.Retry) { *part(r), _ = v.(int) })
		})
}

func (s *settings) addFactor() {
	syntax := numberSyntax(value.Float())
	s.put(s.retry, heading{name: lang.L("Factor"), kind: "×", ink: kit.Dim, hint: lang.L("By which each pause is longer than the one before.")}, "2", syntax,
		func(n *workflow.Node) (any, bool) {
			if n.Retry == nil {
				return 0.0, false
			}
			return n.Retry.Factor, n.Retry.Factor != 0
		},
		func(v any, _ bool) error {
			return s.setRetry(func(r *workflow.Retry) { r.Factor, _ = v.(float64) })
		})
}

// add adds a field for an int.
func (s *settings) add(to *fyne.Container, h heading, standard string, low int, of func(*workflow.Node) (any, bool), put func(any, bool) error) {
	s.put(to, h, standard, syntax{
		read: func(text string) (any, bool, error) {
			n, given, err := number(text, low)
			return n, given, err
		},
		write: plain,
	}, of, put)
}

func (s *settings) put(to *fyne.Container, h heading, standard string, syntax syntax, of func(*workflow.Node) (any, bool), put func(any, bool) error) {
	f := newField(s.editor, h, put, func(out outlet) control {
		w := newWriter(newEntry(s.editor, 1, false), syntax, out)
		w.hint = func(any, bool) string { return lang.L("default: {{.Value}}", map[string]any{"Value": standard}) }
		return w
	})
	s.fields = append(s.fields, &setting{f, of})
	to.Add(f.whole)
}

func (s *settings) setAttempts(v any, given bool) error {
	return s.editor.edit(func(d *doc.Document) error {
		n, ok := d.Node(s.id)
		if !ok || !given {
			return d.SetRetry(s.id, nil)
		}
		retry := workflow.Retry{}
		if n.Retry != nil {
			retry = *n.Retry
		}
		retry.MaxAttempts, _ = v.(int)
		return d.SetRetry(s.id, &retry)
	})
}

func (s *settings) setRetry(change func(*workflow.Retry)) error {
	return s.editor.edit(func(d *doc.Document) error {
		n, ok := d.Node(s.id)
		if !ok || n.Retry == nil {
			return nil // the field is being removed
		}
		retry := *n.Retry
		change(&retry)
		return d.SetRetry(s.id, &retry)
	})
}

func (s *settings) disable(disabled bool) {
	s.editor.do(func(d *doc.Document) error { return d.SetDisabled(disabled, s.id) })
}

// newRename returns the field for the id. It renames the node when the user leaves the field:
// each intermediate id would rename wires and groups, too.
func (s *settings) newRename() {
	s.box = newEntry(s.editor, 1, false)
	s.box.TextStyle.Monospace = true
	none := func(any, bool) error { return nil }
	s.rename = newField(s.editor, heading{name: lang.X("label.id", "Id"), ink: kit.Dim, hint: lang.L("By which runs, problems and overrides name the node.")}, none, func(out outlet) control {
		w := newWriter(s.box, syntax{read: func(text string) (any, bool, error) { return text, true, nil }, write: plain}, out)
		s.box.OnChanged = nil
		return w
	})
	s.box.OnSubmitted = func(string) { s.renameNode() }
	s.box.left = s.renameNode
}

func (s *settings) renameNode() {
	to := strings.TrimSpace(s.box.Text)
	d := s.editor.subject.doc
	if _, ok := d.Node(s.id); !ok || to == s.id {
		s.rename.setTyped("")
		return
	}
	err := s.editor.edit(func(d *doc.Document) error {
		if err := d.Rename(s.id, to); err != nil {
			return err
		}
		if selection := s.editor.subject.board.Selection; selection.Node(s.id) {
			selection.Remove(doc.Set{Nodes: []string{s.id}})
			selection.Add(doc.Set{Nodes: []string{to}})
		}
		return nil
	})
	switch {
	case errors.Is(err, doc.ErrTaken):
		s.rename.setTyped(lang.L("Another node has this id."))
	case err != nil:
		s.rename.setTyped(wording.Of(err.Error()))
	}
}

// update shows the settings of n.
func (s *settings) update(n *workflow.Node) {
	off := s.editor.readOnly()
	for _, f := range s.fields {
		v, given := f.of(n)
		f.set(v, given, off)
	}
	s.rename.set(n.ID, true, off)
	s.showRetry(n.Retry != nil)
	setCheck(s.disabled, n.Disabled, off)
}

// showRetry shows or hides the fields that matter only with more than one attempt.
func (s *settings) showRetry(shown bool) {
	if s.retry == nil || s.retry.Visible() == shown {
		return
	}
	s.retry.Hidden = !shown
	s.editor.resized()
}
