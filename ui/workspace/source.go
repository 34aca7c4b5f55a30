package workspace

import (
	"context"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

// Source is where a workflow to open comes from: [FromDefinition], [FromFile], [FromHost] or
// [FromDraft].
type Source struct {
	read   func(ctx context.Context) (loaded, error)
	origin documents.Origin // if it is known before reading
	slow   bool             // it is read in the background
	draft  bool             // it is an unsaved draft
}

// definition reads only the workflow.
func (s Source) definition(ctx context.Context) (*workflow.Definition, error) {
	f, err := s.read(ctx)
	return f.definition, err
}

// loaded is what was read. Its draft is nil unless it is unsaved work itself.
type loaded struct {
	definition *workflow.Definition
	origin     documents.Origin
	draft      *documents.Draft
}

// BlankID is the id of a workflow without an id.
const BlankID = "untitled"

// Blank returns an empty workflow.
func Blank(name string) *workflow.Definition {
	return &workflow.Definition{ID: BlankID, Name: name, Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}
}

// FromDefinition is a workflow that is kept nowhere yet, such as a template.
func FromDefinition(def *workflow.Definition) Source {
	return Source{read: func(context.Context) (loaded, error) { return loaded{definition: def}, nil }}
}

// FromFile is the workflow in a file.
func FromFile(path string) Source {
	return Source{origin: documents.Origin{File: path}, read: func(context.Context) (loaded, error) {
		def, origin, err := documents.ReadFile(path)
		return loaded{definition: def, origin: origin}, err
	}}
}

// FromHost is a workflow that is stored at a host.
func FromHost(at Host, id string) Source {
	return Source{slow: true, origin: documents.Origin{ID: id, Server: at.URL}, read: func(ctx context.Context) (loaded, error) {
		def, err := at.Store.Workflow(ctx, id)
		if err != nil {
			return loaded{}, err
		}
		return loaded{definition: def, origin: storedAt(at, def)}, nil
	}}
}

// FromDraft is the draft of a window that is gone.
func FromDraft(left documents.OrphanDraft) Source {
	return Source{draft: true, origin: left.Origin, read: func(context.Context) (loaded, error) {
		draft, def, err := left.Take()
		if err != nil {
			return loaded{}, err
		}
		return loaded{def, draft.Origin(), draft}, nil
	}}
}

// storedAt returns the origin of a workflow that was loaded from a host or saved there.
func storedAt(at Host, def *workflow.Definition) documents.Origin {
	return documents.Origin{ID: def.ID, Server: at.URL, Digest: def.Digest()}
}
