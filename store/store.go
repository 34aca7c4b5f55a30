// Package store defines the interfaces and errors of all stores: of workflows, runs, activations
// and state. Packages below it implement them: filestore and statelog in a directory that several
// processes may share, runlog in a directory of one process, memstore in memory, and postgres in a
// database.
//
// A store keeps documents. It neither checks whether a document can run, so that drafts can be
// saved, nor who may read or write it.
package store

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/workflow"
)

// ErrDamaged says that stored data is not a valid workflow. Errors of stores wrap it,
// [workflow.ErrNotFound], [workflow.ErrConflict], or the cause from the operating system: for a
// full disk, errors.Is(err, syscall.ENOSPC) is true.
var ErrDamaged = errors.New("damaged workflow file")

// ErrUnavailable says that the storage cannot be reached at the moment. Usually nothing was
// changed, but the outcome is not certain: check before you repeat a change.
var ErrUnavailable = errors.New("the database is unavailable")

// WorkflowStore stores workflows by id (docs/design.md, Stores). It is safe for concurrent use. It
// keeps the definitions it is given, which are immutable. Every method returns early with the
// context's error once ctx is done. A change that was reported as done outlives the process.
//
// A store may also implement [Revisions], [Conditional], [Versioned] and [Weighed]; callers use
// type assertions. All stores pass the suite of package storetest.
//
// filestore.Store, memstore.Workflows and the Store of package postgres implement it.
type WorkflowStore interface {
	// List describes a page of workflows, sorted by id as far as the store can sort without reading
	// other pages; stores that have all descriptions in memory can use [Paged]. A damaged workflow
	// is listed as Damaged, with the reason as its description. For an invalid cursor it returns
	// [ErrInvalidCursor]. Cursors stay valid when workflows are added or removed.
	List(ctx context.Context, q workflow.Query) (workflow.Page, error)
	// Load returns the workflow, or an error wrapping [workflow.ErrNotFound] or
	// [ErrDamaged].
	Load(ctx context.Context, id string) (*workflow.Definition, error)
	// Save stores def under its id and replaces an existing workflow. Saving an unchanged workflow
	// creates no new revision. It returns an error if workflow.CheckID refuses the id.
	Save(ctx context.Context, def *workflow.Definition) (workflow.Meta, error)
	// Delete removes the workflow. It is no error if the workflow does not exist.
	Delete(ctx context.Context, id string) error
}

// Revisions is implemented by stores that keep earlier revisions.
type Revisions interface {
	// Revisions describes the stored revisions of a workflow, newest first, beginning with the
	// current one. Old revisions may be missing. UpdatedAt is when a revision was saved. If the
	// workflow does not exist, it returns [workflow.ErrNotFound].
	Revisions(ctx context.Context, id string) ([]workflow.Meta, error)
	// LoadRevision returns revision n, counted from 1, of a workflow, or an error wrapping
	// [workflow.ErrNotFound] or [ErrDamaged].
	LoadRevision(ctx context.Context, id string, n int) (*workflow.Definition, error)
}

// Conditional is implemented by stores that can compare and change atomically, also across
// processes.
type Conditional interface {
	// SaveIf is Save if cond holds; otherwise its error wraps [workflow.ErrConflict].
	SaveIf(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error)
	// DeleteIf is Delete if cond holds; otherwise its error wraps [workflow.ErrConflict].
	DeleteIf(ctx context.Context, id string, cond workflow.Condition) error
}

// Versioned is implemented by stores that can cheaply detect whether a workflow has changed.
type Versioned interface {
	// Version returns a tag that differs after every change of the workflow, in this process or
	// another. It costs little more than a stat of a file. The tag says nothing about the content,
	// and has no meaning in another store. If the workflow does not exist, it returns
	// [workflow.ErrNotFound].
	Version(ctx context.Context, id string) (string, error)
}

// Weighed is implemented by stores that can estimate the memory of a workflow before it is loaded,
// so that callers can reserve it.
type Weighed interface {
	// Weight returns an upper estimate of the memory that Load needs for the workflow, in bytes. If
	// the workflow does not exist, it returns [workflow.ErrNotFound].
	Weight(ctx context.Context, id string) (int, error)
}
