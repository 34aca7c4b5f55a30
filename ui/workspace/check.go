package workspace

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
)

// checkQuiet is how long a document must be unchanged before it is checked.
const checkQuiet = 250 * time.Millisecond

// Check asks the host to check the document in front if it has changed, and reports whether
// it has. Call it after anything that may have changed something.
func (d *Workspace) Check() bool {
	w := d.front
	if w == nil || w.checked == w.Document.Revision() {
		return false
	}
	w.checked = w.Document.Revision()
	def, store := w.Document.Definition(), d.config.Host().Store
	w.checking.Do(func(ctx context.Context) func() {
		problems, err := store.Validate(ctx, def)
		var hints []engine.Hint
		if err == nil && len(problems) == 0 {
			hints, _ = store.Hints(ctx, def) // hints are only advice: ignore the error
		}
		return func() {
			switch {
			case w.ended:
			case err != nil:
				w.in.config.User.Say(Notice{Of: CheckFailed, Err: err})
			default:
				w.Board.SetProblems(problems)
				w.Board.SetHints(hints)
				if w.in.front == w {
					w.in.config.Checked(problems)
				}
			}
		}
	})
	return true
}
