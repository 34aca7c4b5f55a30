package ui

import (
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Find lets the user search the whole document, bodies included, and replace what is found.
func (v *views) Find() {
	b := v.board()
	if b == nil {
		return
	}
	var found []doc.Found
	f := ask.Finder{
		Find: func(text string, matchCase bool) (hits []ask.Hit, more bool) {
			found, more = b.Document().Find(doc.Query{Text: text, Case: matchCase})
			for i := range found {
				hits = append(hits, hitOf(&found[i]))
			}
			return hits, more
		},
		Show: func(i int) { v.showFound(b, &found[i]) },
	}
	if !b.ReadOnly {
		f.Replace = func(text string, matchCase bool, with string) {
			places, err := b.Document().ReplaceText(doc.Query{Text: text, Case: matchCase}, with)
			if err != nil {
				v.Complain(err)
				return
			}
			v.Tell(lang.LocalizePlural("Replaced in {{.N}} places", places, map[string]any{"N": places}), false)
			v.Refresh()
		}
	}
	v.dialogs.Find(f)
}

func hitOf(f *doc.Found) ask.Hit {
	where := f.Where
	switch f.Where {
	case "id":
		where = lang.X("label.id", "Id")
	case "label":
		where = lang.L("Label")
	case "note":
		where = lang.L("Note")
	case "group":
		where = lang.L("Group")
	}
	return ask.Hit{Title: strings.TrimPrefix(f.Path+" · "+where, " · "), Text: strings.Join(strings.Fields(f.Text), " ")}
}

// showFound shows an occurrence, and the field that it is in.
func (v *views) showFound(b *board.Board, f *doc.Found) {
	if v.board() != b {
		return
	}
	if f.Note == "" {
		v.showNode(f.Path)
		v.Edit(f.Port)
		return
	}
	containers, _ := fold.Split(f.Path)
	v.editing.Do(func(b *board.Board) error { return b.Document().GoTo(containers) })
	part := doc.Set{Notes: []string{f.Note}}
	if f.Where == "group" {
		part = doc.Set{Groups: []string{f.Note}}
	}
	v.editing.Look(func(b *board.Board) {
		b.Selection.Replace(part)
		b.FitSelection()
	})
	v.Edit("")
}
