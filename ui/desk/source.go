package desk

import (
	"context"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// Source is where a workflow to be opened comes from: [Made], [File], [Stored] or [Left].
type Source struct {
	read   func(ctx context.Context) (found, error)
	origin documents.Origin // where it is kept, as far as that is known before
	slow   bool             // it is read in the background
	draft  bool             // it is unsaved work
}

// definition reads the workflow alone.
func (s Source) definition(ctx context.Context) (*workflow.Definition, error) {
	f, err := s.read(ctx)
	return f.definition, err
}

// found is what was read. Its draft is nil unless it is unsaved work itself.
type found struct {
	definition *workflow.Definition
	origin     documents.Origin
	draft      *documents.Draft
}

// BlankID is the id of a workflow that has got none yet.
const BlankID = "untitled"

// Blank returns a workflow with nothing in it.
func Blank(name string) *workflow.Definition {
	return &workflow.Definition{ID: BlankID, Name: name, Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
}

// Made is a workflow that is kept nowhere yet, such as a template.
func Made(def *workflow.Definition) Source {
	return Source{read: func(context.Context) (found, error) { return found{definition: def}, nil }}
}

// File is the workflow in a file.
func File(path string) Source {
	return Source{origin: documents.Origin{File: path}, read: func(context.Context) (found, error) {
		def, origin, err := documents.ReadFile(path)
		return found{definition: def, origin: origin}, err
	}}
}

// Stored is a workflow that is stored at a place.
func Stored(at Place, id string) Source {
	return Source{slow: true, origin: documents.Origin{ID: id, Server: at.URL}, read: func(ctx context.Context) (found, error) {
		def, err := at.Store.Workflow(ctx, id)
		if err != nil {
			return found{}, err
		}
		return found{definition: def, origin: storedAt(at, def)}, nil
	}}
}

// Left is the draft of a window that is gone.
func Left(left documents.Left) Source {
	return Source{draft: true, origin: left.Origin, read: func(context.Context) (found, error) {
		draft, def, err := left.Take()
		if err != nil {
			return found{}, err
		}
		return found{def, draft.Origin(), draft}, nil
	}}
}

// storedAt is the origin of a workflow that was loaded from a place or saved there.
func storedAt(at Place, def *workflow.Definition) documents.Origin {
	return documents.Origin{ID: def.ID, Server: at.URL, Digest: def.Digest()}
}
