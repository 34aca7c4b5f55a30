package ask

import (
	"path/filepath"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/wording"
	"github.com/svcflow/svc/ui/workspace"
)

// Ask asks a question of the workspace.
func (d *Dialogs) Ask(q workspace.Question) {
	title, text, main := words(&q)
	choices := make([]Choice, len(q.Answers))
	for i, a := range q.Answers {
		choices[i] = Choice{Text: label(&q, a), Main: a == main, Do: func() { q.Then(a) }}
	}
	d.Choose(title, text, choices...)
}

// words returns the texts of a question, and the answer that Enter gives; 0 for none.
func words(q *workspace.Question) (title, text string, main workspace.Answer) {
	about := map[string]any{"Name": q.Name}
	switch q.About {
	case workspace.Unsaved:
		return lang.L("Save the changes?"), lang.L("“{{.Name}}” has changes that are not saved.", about), workspace.Save
	case workspace.FileChanged:
		return lang.L("The file has changed"), lang.L("Another program has written to {{.File}} since you opened it.", map[string]any{"File": filepath.Base(q.File)}), 0
	case workspace.FileExists:
		return lang.L("Replace the file?"), lang.L("{{.File}} is there already.", map[string]any{"File": q.File}), 0
	case workspace.Conflict:
		return lang.L("Which one counts?"), lang.L("Somebody else has saved “{{.ID}}” in {{.Place}} since you opened it.", stored(q)), 0
	case workspace.Taken:
		return lang.L("Which one counts?"), lang.L("There is a workflow called “{{.ID}}” in {{.Place}} already.", stored(q)), 0
	case workspace.OtherHost:
		return lang.L("Save it where?"), lang.L("This workflow came from {{.Place}}, which is not where you work now.", map[string]any{"Place": hosts.NameOf(q.Host)}), workspace.SaveAs
	case workspace.Reopen:
		return lang.L("Drop your changes?"), lang.L("Opening theirs loses what you have changed here."), 0
	case workspace.DraftFound:
		about["Time"] = q.At.Local().Format("2006-01-02 15:04")
		return lang.L("Continue with the draft?"), lang.L("“{{.Name}}” has changes from {{.Time}} that were never saved. Whichever you open, nothing is thrown away.", about), workspace.OpenDraft
	}
	return "", "", 0
}

func stored(q *workspace.Question) map[string]any {
	return map[string]any{"ID": q.ID, "Place": hosts.NameOf(q.Host)}
}

func label(q *workspace.Question, a workspace.Answer) string {
	switch a {
	case workspace.Discard:
		return lang.L("Don't save")
	case workspace.Save:
		return lang.L("Save")
	case workspace.SaveAs:
		return lang.L("Save as…")
	case workspace.OpenTheirs:
		return lang.L("Open theirs")
	case workspace.Replace:
		return lang.L("Replace it")
	case workspace.DropChanges:
		return lang.L("Drop them")
	case workspace.OpenDraft:
		return lang.L("Continue with the draft")
	case workspace.Compare:
		return lang.L("Compare")
	case workspace.OpenSaved:
		if q.File != "" {
			return lang.L("Open the file")
		}
		return lang.L("Open what is stored")
	}
	return ""
}

// NameOf returns the name of a state that a workflow is compared with.
func NameOf(other workspace.Other) string {
	switch other {
	case workspace.Saved:
		return lang.L("what is saved")
	case workspace.Theirs:
		return lang.L("the version that somebody else has saved")
	}
	return lang.L("revision {{.N}}", map[string]any{"N": int(other)})
}

// Message returns the text of a notice.
func Message(n workspace.Notice) string {
	switch n.Of {
	case workspace.Nothing:
	case workspace.Opening:
		return lang.L("Opening…")
	case workspace.Saving:
		return lang.L("Saving…")
	case workspace.SavedToFile:
		return lang.L("Saved to {{.File}}", map[string]any{"File": n.File})
	case workspace.SavedToHost:
		return lang.L("Saved in {{.Place}}, revision {{.N}}", map[string]any{"Place": hosts.NameOf(n.Host), "N": n.Revision})
	case workspace.AlreadyOpen:
		return lang.L("This workflow is open already: close its tab to open the draft")
	case workspace.CheckFailed:
		return lang.L("The workflow could not be checked: {{.Error}}", map[string]any{"Error": wording.Of(n.Err.Error())})
	}
	return ""
}
