package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/workflow"
)

// listWorkflows answers GET /workflows. The body is an array, so the address of the next page is in
// the Link header (RFC 8288). Without a limit, the answer has all workflows.
func (s *Service) listWorkflows(a *answer, r *http.Request) error {
	limit, err := a.limit(workflow.MaxLimit)
	if err != nil {
		return err
	}
	if limit == 0 && !a.query.Has("cursor") {
		all, err := workflow.All(r.Context(), s.app.Workflows)
		if err != nil {
			return err
		}
		return a.metas(a.visible(all))
	}
	page, err := s.app.Workflows(r.Context(), workflow.Query{Limit: limit, Cursor: a.query.Get("cursor")})
	if err != nil {
		return err
	}
	if page.NextCursor != "" {
		next := url.Values{"cursor": {page.NextCursor}}
		if limit > 0 {
			next.Set("limit", strconv.Itoa(limit))
		}
		a.Header().Set("Link", "<"+s.base+"/workflows?"+next.Encode()+`>; rel="next"`)
	}
	return a.metas(a.visible(page.Items))
}

// visible returns the workflows that the caller may see.
func (a *answer) visible(all []workflow.Meta) []workflow.Meta {
	return slices.DeleteFunc(slices.Clone(all), func(m workflow.Meta) bool { return !a.caller.sees(m.ID) })
}

// metas sends a list.
func (a *answer) metas(metas []workflow.Meta) error {
	if metas == nil {
		metas = []workflow.Meta{} // [], not null
	}
	return a.json(http.StatusOK, metas)
}

// saveWorkflow answers POST /workflows.
func (s *Service) saveWorkflow(a *answer, r *http.Request) error {
	cond, err := condition(r)
	if err != nil {
		return err
	}
	def, err := s.definition(a, r)
	if err != nil {
		return err
	}
	a.subject = def.ID
	meta, err := s.app.Save(s.admitted(a, r), def, cond)
	if err != nil {
		return err
	}
	h := a.Header()
	h.Set("ETag", etagOf(def))
	h.Set("Location", s.location("workflows", def.ID))
	return a.json(http.StatusCreated, meta)
}

// getWorkflow answers GET /workflows/{id}.
func (s *Service) getWorkflow(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	def, err := s.app.Workflow(r.Context(), id)
	if err != nil {
		return err
	}
	a.definition(r, def)
	return nil
}

// deleteWorkflow answers DELETE /workflows/{id}.
func (s *Service) deleteWorkflow(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	cond, err := condition(r)
	if err != nil {
		return err
	}
	if err := s.app.Delete(r.Context(), id, cond); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// listRevisions answers GET /workflows/{id}/revisions.
func (s *Service) listRevisions(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	metas, err := s.app.Revisions(r.Context(), id)
	if err != nil {
		return err
	}
	return a.metas(metas)
}

// getRevision answers GET /workflows/{id}/revisions/{n}.
func (s *Service) getRevision(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(a.wildcards[1])
	if err != nil || n < 1 {
		return workflow.ErrNotFound
	}
	def, err := s.app.Revision(r.Context(), id, n)
	if err != nil {
		return err
	}
	a.definition(r, def)
	return nil
}

// definition sends a workflow, unless the caller already has it.
func (a *answer) definition(r *http.Request, def *workflow.Definition) {
	etag := etagOf(def)
	a.Header().Set("ETag", etag)
	if tag := known(r, etag); tag != "" {
		a.Header().Set("ETag", tag)
		a.Header().Add("Vary", "Accept-Encoding")
		a.WriteHeader(http.StatusNotModified)
		return
	}
	a.out = append(def.AppendJSON(a.out), '\n')
	a.text(http.StatusOK, jsonType, a.out)
}
