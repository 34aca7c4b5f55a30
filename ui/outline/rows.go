package outline

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// kind is the kind of part that a row shows.
type kind uint8

const (
	heading kind = iota
	nodeRow
	groupRow
	noteRow
	problemRow
)

// row is one line of the outline.
type row struct {
	kind   kind
	path   string // of the node; of a group or note, its id
	label  string
	detail string // dim: the type of a node, the node of a problem
	code   bool   // detail is an identifier
	tip    string
	dot    kit.ColorFunc // nil is none
	// mark is the state of the node at the end of the row, and ink its colour.
	mark    string
	ink     kit.ColorFunc
	problem *engine.ValidationError
}

// height returns the height of a row in dp.
func (r *row) height(first bool) float32 {
	if r.kind == heading {
		return kit.HeadingHeight(first)
	}
	return kit.RowHeight
}

// part returns a group or note as a set for the selection.
func (r *row) part() doc.Set {
	if r.kind == groupRow {
		return doc.Set{Groups: []string{r.path}}
	}
	return doc.Set{Notes: []string{r.path}}
}

// same reports whether two rows show the same part, maybe at different times.
func (r *row) same(other *row) bool {
	if r.kind == problemRow && other.kind == problemRow {
		return r.path == other.path && r.label == other.label
	}
	return r.kind == other.kind && r.path == other.path
}

// find returns the index of the row that shows the same part as r, which may be nil; -1 if
// none does.
func find(rows []row, r *row) int {
	if r == nil {
		return -1
	}
	return slices.IndexFunc(rows, func(other row) bool { return other.same(r) })
}

// filtered returns the rows that contain all words of a query, with their headings.
func filtered(all []row, query string) (rows []row) {
	words := strings.Fields(strings.ToLower(query))
	var last kind
	for i := range all {
		r := &all[i]
		text := strings.ToLower(r.label + " " + r.detail + " " + r.path + " " + r.mark)
		if slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) }) {
			continue
		}
		if r.kind != last {
			rows = append(rows, row{kind: heading, label: headline(r.kind)})
			last = r.kind
		}
		rows = append(rows, *r)
	}
	return rows
}

func headline(k kind) string {
	switch k {
	case nodeRow:
		return lang.L("Nodes")
	case groupRow:
		return lang.L("Groups")
	case noteRow:
		return lang.L("Notes")
	case problemRow:
		return lang.L("Problems")
	case heading:
	}
	return ""
}

// rowsOf lists the level that a board shows, and the problems of all levels.
func rowsOf(board *board.Board) (rows []row) {
	d := board.Document()
	cards, path := d.Cards(), d.Path()
	for i := range cards {
		rows = append(rows, ofNode(board, &cards[i], path))
	}
	for _, g := range d.Frames() {
		rows = append(rows, row{kind: groupRow, path: g.ID, label: or(g.Label, lang.L("Group without a name")), dot: kit.Running})
	}
	for _, n := range d.Stickies() {
		first, _, _ := strings.Cut(strings.TrimSpace(n.Text), "\n")
		rows = append(rows, row{kind: noteRow, path: n.ID, label: or(first, lang.L("Empty note")), tip: n.Text, dot: kit.Dim})
	}
	for _, e := range board.Problems().All() {
		rows = append(rows, row{
			kind: problemRow, path: e.NodeID, label: sentence(wording.Of(e.Message)), detail: location(board, e), dot: kit.Error, problem: e,
			tip: strings.TrimSpace(sentence(wording.Of(e.Message)) + "\n" + sentence(wording.Of(e.Hint))),
		})
	}
	return rows
}

// ofNode describes a node: its title, and its state in the run or in validation.
func ofNode(board *board.Board, card *cards.Card, path []string) row {
	n := card.Node
	r := row{kind: nodeRow, path: fold.Join(path, n.ID), label: card.Title(), detail: n.Type, code: true, tip: n.Type + " · " + n.ID, dot: kit.Dim}
	if card.Spec != nil {
		r.dot = colors.Exact(card.Spec.Card.Color)
	} else {
		r.detail, r.code = lang.L("unknown type"), false
	}
	if run := board.Run.Node(r.path); run != nil {
		r.mark, r.ink = state(run.State())
	}
	problems := board.Problems().Count(path, n.ID)
	switch {
	case r.mark != "":
	case problems == 1:
		r.mark, r.ink = lang.L("1 problem"), kit.Error
	case problems > 1:
		r.mark, r.ink = lang.L("{{.N}} problems", map[string]any{"N": strconv.Itoa(problems)}), kit.Error
	case n.Disabled:
		r.mark, r.ink = lang.L("off"), kit.Dim
	}
	return r
}

// state describes the state of a node in a run.
func state(s engine.Status) (string, kit.ColorFunc) {
	switch s {
	case engine.StatusRunning:
		return lang.L("running"), kit.Running
	case engine.StatusSucceeded:
		return lang.L("succeeded"), kit.OK
	case engine.StatusFailed:
		return lang.L("failed"), kit.Error
	case engine.StatusCancelled:
		return lang.L("cancelled"), kit.Running
	case engine.StatusSkipped:
		return lang.L("skipped"), kit.Dim
	default:
		return "", nil
	}
}

// location describes where a problem is: its node and port.
func location(board *board.Board, e *engine.ValidationError) string {
	d := board.Document()
	where := e.NodeID
	if id, ok := strings.CutPrefix(e.NodeID, fold.Join(d.Path(), "")); ok {
		if card, ok := d.Card(id); ok {
			where = card.Title()
		}
	}
	if where == "" {
		where = lang.L("Workflow")
	}
	if e.Port != "" {
		where += " · " + e.Port
	}
	return where
}

// sentence capitalises the first letter of a text: the engine's texts begin in lower case,
// because they may be nested.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// or returns the first text, or the second if the first is empty.
func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
