package ask

import (
	"path/filepath"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/desk"
	"github.com/svcflow/svc/ui/places"
	"github.com/svcflow/svc/ui/wording"
)

// Ask asks what the desk wants to know.
func (d *Dialogs) Ask(q desk.Question) {
	title, text, main := words(&q)
	choices := make([]Choice, len(q.Answers))
	for i, a := range q.Answers {
		choices[i] = Choice{Text: label(&q, a), Main: a == main, Do: func() { q.Then(a) }}
	}
	d.Choose(title, text, choices...)
}

// words puts a question, and says which answer Enter gives; 0 for none.
func words(q *desk.Question) (title, text string, main desk.Answer) {
	about := map[string]any{"Name": q.Name}
	switch q.About {
	case desk.Unsaved:
		return lang.L("Save the changes?"), lang.L("“{{.Name}}” has changes that are not saved.", about), desk.Save
	case desk.FileChanged:
		return lang.L("The file has changed"), lang.L("Another program has written to {{.File}} since you opened it.", map[string]any{"File": filepath.Base(q.File)}), 0
	case desk.FileExists:
		return lang.L("Replace the file?"), lang.L("{{.File}} is there already.", map[string]any{"File": q.File}), 0
	case desk.Conflict:
		return lang.L("Which one counts?"), lang.L("Somebody else has saved “{{.ID}}” in {{.Place}} since you opened it.", stored(q)), 0
	case desk.Taken:
		return lang.L("Which one counts?"), lang.L("There is a workflow called “{{.ID}}” in {{.Place}} already.", stored(q)), 0
	case desk.OtherPlace:
		return lang.L("Save it where?"), lang.L("This workflow came from {{.Place}}, which is not where you work now.", map[string]any{"Place": places.NameOf(q.Place)}), desk.SaveAs
	case desk.Reopen:
		return lang.L("Drop your changes?"), lang.L("Opening theirs loses what you have changed here."), 0
	case desk.DraftLeft:
		about["Time"] = q.At.Local().Format("2006-01-02 15:04")
		return lang.L("Go on with the draft?"), lang.L("“{{.Name}}” has changes from {{.Time}} that were never saved. Whichever you open, nothing is thrown away.", about), desk.GoOn
	}
	return "", "", 0
}

func stored(q *desk.Question) map[string]any {
	return map[string]any{"ID": q.ID, "Place": places.NameOf(q.Place)}
}

func label(q *desk.Question, a desk.Answer) string {
	switch a {
	case desk.Forsake:
		return lang.L("Don't save")
	case desk.Save:
		return lang.L("Save")
	case desk.SaveAs:
		return lang.L("Save as…")
	case desk.OpenTheirs:
		return lang.L("Open theirs")
	case desk.Replace:
		return lang.L("Replace it")
	case desk.Drop:
		return lang.L("Drop them")
	case desk.GoOn:
		return lang.L("Go on with the draft")
	case desk.Compare:
		return lang.L("Compare")
	case desk.OpenKept:
		if q.File != "" {
			return lang.L("Open the file")
		}
		return lang.L("Open what is stored")
	}
	return ""
}

// Call says what a state is called that a workflow is compared with.
func Call(other desk.Other) string {
	switch other {
	case desk.Saved:
		return lang.L("what is saved")
	case desk.Theirs:
		return lang.L("what somebody else has saved")
	}
	return lang.L("revision {{.N}}", map[string]any{"N": int(other)})
}

// Words says what the desk has to say.
func Words(n desk.Notice) string {
	switch n.Of {
	case desk.Nothing:
	case desk.Opening:
		return lang.L("Opening…")
	case desk.Saving:
		return lang.L("Saving…")
	case desk.SavedToFile:
		return lang.L("Saved to {{.File}}", map[string]any{"File": n.File})
	case desk.SavedToPlace:
		return lang.L("Saved in {{.Place}}, revision {{.N}}", map[string]any{"Place": places.NameOf(n.Place), "N": n.Revision})
	case desk.OpenAlready:
		return lang.L("This workflow is open already: close its tab to open the draft")
	case desk.CannotBeSaid:
		return lang.L("The workflow could not be checked: {{.Error}}", map[string]any{"Error": wording.Of(n.Err.Error())})
	}
	return ""
}
