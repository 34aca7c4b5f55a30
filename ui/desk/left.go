package desk

import (
	"github.com/svcflow/svc/ui/documents"
)

// draftOf returns the draft of a window that is gone of the very workflow that was read,
// the newest if there are several, unless it says the same.
func (d *Desk) draftOf(f found) (documents.Left, bool) {
	if f.draft != nil {
		return documents.Left{}, false
	}
	all, err := d.config.Drafts.Left()
	if err != nil {
		d.config.User.Complain(err)
	}
	for _, left := range all {
		if !left.Origin.Same(f.origin) {
			continue
		}
		def, err := left.Read()
		if err == nil && def.Digest() != f.definition.Digest() {
			return left, true
		}
	}
	return documents.Left{}, false
}

// offer lets the user go on with a draft of the workflow that was read. Whatever they
// answer, nothing is thrown away: the draft is offered again until they discard it.
func (d *Desk) offer(f found, left documents.Left) {
	d.config.User.Ask(Question{
		About: DraftLeft, Name: left.Name, File: f.origin.File, ID: f.origin.ID, Place: f.origin.Server, At: left.SavedAt,
		Answers: []Answer{OpenKept, GoOn},
		Then: func(a Answer) {
			if a == OpenKept {
				d.begin(f)
				return
			}
			d.read(Left(left), d.begin)
		},
	})
}
