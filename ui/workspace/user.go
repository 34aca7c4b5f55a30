package workspace

import (
	"time"

	"github.com/svcflow/svc/ui/documents"
)

// User asks the user and shows messages. Its methods are called on the window's goroutine,
// and it calls back there.
type User interface {
	// Ask asks a question. If the user cancels, nothing happens.
	Ask(q Question)
	// AskTarget asks where to save a workflow, and for its name.
	AskTarget(p Proposal, then func(Target))
	// Say shows progress or a result. The zero Notice clears the progress.
	Say(n Notice)
	// Complain shows an error.
	Complain(err error)
}

// Question is a question to the user.
type Question struct {
	About About
	// The subject, as far as it matters: the workflow's name or id, a file, the address of a
	// host.
	Name, ID, File, Host string
	At                   time.Time
	Answers              []Answer
	Then                 func(Answer)
}

// About is the kind of a question.
type About uint8

// The questions.
const (
	Unsaved     About = iota // what to do with the changes to Name
	FileChanged              // another program has written to File since it was opened
	FileExists               // File exists
	Conflict                 // somebody else has saved ID at Host since it was opened
	Taken                    // ID exists at Host
	OtherHost                // the workflow is kept at Place, where the user does not work
	Reopen                   // opening the saved workflow discards the changes
	DraftFound               // there is a draft of it from At that was never saved
)

// Answer is the user's answer.
type Answer uint8

// The answers. The user can also cancel.
const (
	Discard     Answer = iota + 1 // do not save
	Save                          // save first
	SaveAs                        // save it elsewhere, or under another id
	OpenTheirs                    // open the saved workflow
	Replace                       // overwrite what is saved there
	DropChanges                   // lose the changes
	OpenDraft                     // open the draft
	OpenSaved                     // open what is kept; the draft stays for later
	Compare                       // show the differences on the canvas first
)

// Proposal is the present name and origin of a workflow, before it is saved as another one.
type Proposal struct {
	Name, ID string
	Origin   documents.Origin
}

// Target is where to save a workflow, and its new name and id. An empty File means the
// current host.
type Target struct{ Name, ID, File string }

// Notice is a message about progress or a result.
type Notice struct {
	Of NoticeOf
	// The subject, as far as it matters.
	File, Host string
	Revision   int
	Err        error
}

// NoticeOf is the kind of a notice.
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
