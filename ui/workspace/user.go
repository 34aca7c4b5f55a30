package workspace

import (
	"time"

	"github.com/svcflow/svc/ui/documents"
)

// User asks the user and shows messages. Its methods are called on the window's goroutine,
// and it calls back there.
type User interface {
	// Ask asks a question. The user may also not answer: then nothing happens.
	Ask(q Question)
	// AskTarget asks where to save a workflow, and under which name.
	AskTarget(p Proposal, then func(Target))
	// Say shows progress or a result. The zero Notice clears the progress.
	Say(n Notice)
	// Complain shows an error.
	Complain(err error)
}

// Question is something that only the user can decide.
type Question struct {
	About About
	// The subject, as far as it matters: the workflow's name or id, a file, the address of a
	// host.
	Name, ID, File, Host string
	At                   time.Time
	Answers              []Answer
	Then                 func(Answer)
}

// About is what a question is about.
type About uint8

// The questions.
const (
	Unsaved     About = iota // what to do with the changes to Name
	FileChanged              // another program has written to File since it was opened
	FileExists               // File is there already
	Conflict                 // somebody else has saved ID at Host since it was opened
	Taken                    // there is an ID at Place already
	OtherHost                // the workflow is kept at Place, where the user does not work
	Reopen                   // opening what is kept loses the changes
	DraftFound               // there is a draft of it from At that was never saved
)

// Answer is what the user decides.
type Answer uint8

// The answers. Besides them, a question can always be left without one.
const (
	Discard     Answer = iota + 1 // do not save
	Save                          // save first
	SaveAs                        // save it elsewhere, or as another one
	OpenTheirs                    // open what is kept there
	Replace                       // overwrite what is saved there
	DropChanges                   // lose the changes
	OpenDraft                     // open the draft
	OpenSaved                     // open what is kept; the draft stays for later
	Compare                       // show both on the canvas first
)

// Proposal is what a workflow is called, and where it is kept, before it is saved as
// something else.
type Proposal struct {
	Name, ID string
	Origin   documents.Origin
}

// Target is where to save a workflow, and its new name and id. An empty File means the
// current host.
type Target struct{ Name, ID, File string }

// Notice is something that the user may like to know.
type Notice struct {
	Of NoticeOf
	// The subject, as far as it matters.
	File, Host string
	Revision   int
	Err        error
}

// NoticeOf is what a notice is of.
type NoticeOf uint8

// The notices.
const (
	Nothing     NoticeOf = iota // nothing is in progress
	Opening                     // a workflow is being read
	Saving                      // the workflow is being saved
	SavedToFile                 // File
	SavedToHost                 // Place, as its Revision
	CheckFailed                 // whether the workflow can run: Err
	AlreadyOpen                 // the workflow of a draft, which waits
)
