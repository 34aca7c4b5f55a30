package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/session"
)

// desk is what is being edited: a document, where it is kept, and the draft of it that
// a crash leaves behind.
type desk struct {
	doc    *doc.Document
	board  *board.Board
	origin documents.Origin

	draft    *documents.Draft
	drafting *session.Latest
	seen     int // the revision that was drafted, or needs no draft
	drafted  time.Time
	failed   error // why the last draft could not be kept
}

// draftQuiet is how long nothing must have changed before a draft is written.
const draftQuiet = 2 * time.Second

func newDesk(doc *doc.Document, origin documents.Origin, draft *documents.Draft) *desk {
	const width, height = 800, 600 // until the canvas says how large it is
	return &desk{
		doc: doc, board: board.New(doc, width, height), origin: origin, draft: draft,
		drafting: session.NewLatest(draftQuiet, fyne.Do), seen: doc.Revision(),
	}
}

// keep has a draft written if the document has changed. When it has become what is
// saved again, there is nothing left to keep.
func (d *desk) keep(drafts *documents.Drafts, told func()) {
	if d.seen == d.doc.Revision() {
		return
	}
	d.seen = d.doc.Revision()
	if !d.doc.Edited() {
		d.failed = d.renew(d.origin, drafts)
		return
	}
	def, draft := d.doc.Definition(), d.draft
	d.drafting.Do(func(context.Context) func() {
		err := draft.Save(def)
		return func() {
			d.drafted, d.failed = time.Now(), err
			told()
		}
	})
}

// saved says that a revision of the document is kept at origin. If that is how it is
// now, its draft is not needed any more.
func (d *desk) saved(revision int, origin documents.Origin, drafts *documents.Drafts) error {
	if d.doc.Revision() != revision {
		d.origin = origin
		return nil
	}
	d.doc.MarkSaved()
	d.seen, d.failed = d.doc.Revision(), nil
	return d.renew(origin, drafts)
}

// renew drops the draft for one that nothing was written to.
func (d *desk) renew(origin documents.Origin, drafts *documents.Drafts) error {
	d.drafting.Close()
	err := d.draft.Discard()
	d.origin, d.draft, d.drafted = origin, drafts.Begin(origin), time.Time{}
	return err
}

// leave ends work on the document without saving it. Its draft is left for later, or
// deleted if it is not wanted.
func (d *desk) leave(wanted bool) error {
	if wanted {
		d.drafting.Flush()
		return d.draft.Keep()
	}
	d.drafting.Close()
	return d.draft.Discard()
}

// state says in a few words how safe the work is.
func (d *desk) state() (text string, bad bool) {
	switch {
	case d.failed != nil:
		return lang.L("The draft cannot be kept: {{.Error}}", map[string]any{"Error": d.failed.Error()}), true
	case !d.drafted.IsZero():
		return lang.L("Draft kept at {{.Time}}", map[string]any{"Time": d.drafted.Format("15:04:05")}), false
	}
	return "", false
}

// blank returns a workflow with nothing in it.
func blank() *workflow.Definition {
	return &workflow.Definition{ID: blankID, Name: lang.L("Untitled"), Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
}

// blankID is the id of a workflow that has got none yet.
const blankID = "untitled"
