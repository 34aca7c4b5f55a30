package workspace

import (
	"github.com/svcflow/svc/ui/documents"
)

// draftOf returns the newest orphan draft of a workflow that was read, if it differs from it.
func (d *Workspace) draftOf(f loaded) (documents.OrphanDraft, bool) {
	if f.draft != nil {
		return documents.OrphanDraft{}, false
	}
	all, err := d.config.Drafts.Orphans()
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
	return documents.OrphanDraft{}, false
}

// offer asks the user whether to open a draft of the workflow that was read. No answer
// deletes the draft: it is offered again until the user discards it.
func (d *Workspace) offer(f loaded, left documents.OrphanDraft) {
	d.config.User.Ask(Question{
		About: DraftFound, Name: left.Name, File: f.origin.File, ID: f.origin.ID, Host: f.origin.Server, At: left.SavedAt,
		Answers: []Answer{OpenSaved, OpenDraft},
		Then: func(a Answer) {
			if a == OpenSaved {
				d.openRead(f)
				return
			}
			d.read(FromDraft(left), d.openRead)
		},
	})
}
