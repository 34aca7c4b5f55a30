package workspace

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/workflow"
)

// Reasons why a session cannot be compared with its saved state.
var (
	ErrNeverSaved  = errors.New("this workflow was never saved: there is nothing to compare it with")
	ErrNoRevisions = errors.New("no revisions of this workflow are kept: workflows have them that are stored at the place where you work")
	ErrElsewhere   = errors.New("this workflow is kept elsewhere: go to that place first, then compare")
)

// Compare compares the session in front with its saved state.
func (d *Workspace) Compare() {
	if d.front == nil {
		d.config.User.Complain(ErrNothing)
		return
	}
	origin, place := d.front.origin, d.config.Host()
	switch {
	case origin.IsNew():
		d.config.User.Complain(ErrNeverSaved)
	case origin.File != "":
		d.compareWith(d.front, FromFile(origin.File).definition, Saved)
	case origin.Server != place.URL:
		d.config.User.Complain(ErrElsewhere)
	default:
		d.compareWith(d.front, FromHost(place, origin.ID).definition, Saved)
	}
}

// CompareRevision compares the session in front with a revision of the stored workflow.
func (d *Workspace) CompareRevision(revision Other, read func(context.Context) (*workflow.Definition, error)) {
	if d.front == nil {
		d.config.User.Complain(ErrNothing)
		return
	}
	d.compareWith(d.front, read, revision)
}

// Other is the state that a session is compared with: Saved, Theirs in a conflict, or the
// revision with that number.
type Other int

// The states that are not revisions.
const (
	Saved  Other = 0
	Theirs Other = -1
)

// compareWith reads another state in the background.
func (d *Workspace) compareWith(w *Session, read func(context.Context) (*workflow.Definition, error), other Other) {
	d.config.User.Say(Notice{Of: Opening})
	d.config.Jobs.Go(func(ctx context.Context) func() {
		def, err := read(ctx)
		return func() {
			d.config.User.Say(Notice{})
			switch {
			case w.ended:
			case err != nil:
				w.in.config.User.Complain(err)
			default:
				w.Board.Compare(def, d.config.NameOf(other))
				w.in.config.Changed()
			}
		}
	})
}
