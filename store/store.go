// Package store has the interfaces, errors and words of all stores: of workflows, of
// runs, of activations and of state. Packages below it implement them: filestore and
// statelog in a directory that several processes may share, runlog in a directory of
// one process, memstore in memory, and postgres in a database.
//
// A store keeps documents. Whether a document can run is none of its business,
// and so drafts are kept too; nor does it know who may read or write them.
package store

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/workflow"
)

// ErrDamaged says that what is stored cannot be read as a workflow. Errors of
// stores wrap it, [workflow.ErrNotFound], [workflow.ErrConflict], or the cause from
// the operating system, so that a full disk is still syscall.ENOSPC to errors.Is.
var ErrDamaged = errors.New("damaged workflow file")

// ErrUnavailable says that what keeps workflows or runs cannot be reached at the moment. Nothing
// was changed, as far as can be told: who has asked for a change looks before he asks again.
var ErrUnavailable = errors.New("the database is unavailable")

// WorkflowStore keeps workflows by their ids (docs/design.md, Stores). It is safe for
// concurrent use, and it keeps the definitions it is given, which are immutable.
// Every method returns early with the context's error once ctx is done; a change
// that was reported as done outlives the process.
//
// A store may also implement [Revisions], [Conditional], [Versioned] and [Weighed],
// which callers find by type assertion. All stores pass the suite of package storetest.
//
// filestore.Store, memstore.Workflows and the Store of package postgres implement it.
type WorkflowStore interface {
	// List describes a page of the workflows, sorted by id as far as the store can tell
	// without a look at what is on other pages; [Paged] is for stores that have all at hand.
	// One that is damaged is listed as Damaged, with the reason as its description. A cursor
	// that no page can have is [ErrInvalidCursor]; one stays good when workflows come and go.
	List(ctx context.Context, q workflow.Query) (workflow.Page, error)
	// Load returns the workflow, or an error wrapping [workflow.ErrNotFound] or
	// [ErrDamaged].
	Load(ctx context.Context, id string) (*workflow.Definition, error)
	// Save stores def under its id, whether or not that is in use. Saving what
	// is stored already makes no new revision. An id that workflow.CheckID
	// refuses is an error.
	Save(ctx context.Context, def *workflow.Definition) (workflow.Meta, error)
	// Delete removes the workflow; one that is not there is no error.
	Delete(ctx context.Context, id string) error
}

// Revisions is implemented by stores that keep what a save has replaced.
type Revisions interface {
	// Revisions describes the stored revisions of a workflow, newest first,
	// beginning with the current one. Old revisions may be missing. Of each,
	// UpdatedAt is when it was saved. A workflow that is not there is
	// [workflow.ErrNotFound].
	Revisions(ctx context.Context, id string) ([]workflow.Meta, error)
	// LoadRevision returns revision n, counted from 1, of a workflow, or an error
	// wrapping [workflow.ErrNotFound] or [ErrDamaged].
	LoadRevision(ctx context.Context, id string, n int) (*workflow.Definition, error)
}

// Conditional is implemented by stores that can compare and change in one step,
// also against other processes.
type Conditional interface {
	// SaveIf is Save, provided that cond holds; else its error wraps [workflow.ErrConflict].
	SaveIf(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	// DeleteIf is Delete, provided that cond holds; else its error wraps
	// [workflow.ErrConflict].
	DeleteIf(ctx context.Context, id string, cond workflow.Condition) error
}

// Versioned is implemented by stores that can tell cheaply whether a workflow has
// changed.
type Versioned interface {
	// Version returns a tag that differs after every change of the workflow, in
	// this process or another. It costs little more than asking for a file's
	// time, says nothing about the content, and means nothing to another store.
	// A workflow that is not there is [workflow.ErrNotFound].
	Version(ctx context.Context, id string) (string, error)
}

// Weighed is implemented by stores that can tell how much memory a workflow is going to
// take, so that there is room for it before it is loaded.
type Weighed interface {
	// Weight returns about how many bytes of memory the workflow takes that Load returns,
	// and what is read for it, from above. A workflow that is not there is
	// [workflow.ErrNotFound].
	Weight(ctx context.Context, id string) (int, error)
}
