package httpapi

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/store"
)

// reach says what a route has for a key that is limited to workflows. The zero reach is nothing, so
// that a new route is closed until somebody opens it.
type reach int

const (
	closed     reach = iota // refused
	open                    // the same for all keys
	ofWorkflow              // the first wildcard is the id of a workflow
	ofRun                   // the first wildcard is the id of a run
	filtered                // the handler leaves out what the key does not see
)

// sees reports whether the caller may see a workflow and its runs.
func (c *caller) sees(workflowID string) bool { return c.key == nil || c.key.Sees(workflowID) }

// isLimited reports whether the caller's key is limited to workflows.
func (c *caller) isLimited() bool { return c.key != nil && len(c.key.Workflows) > 0 }

// checkReach returns an error if the caller's key is limited to workflows and the request is for
// something else. Workflows and runs that it does not see do not exist for it.
func (s *Service) checkReach(a *answer, r *http.Request) error {
	if !a.caller.isLimited() {
		return nil
	}
	switch a.route.reach {
	case ofWorkflow:
		if !a.caller.sees(a.wildcards[0]) {
			return workflow.ErrNotFound
		}
	case ofRun:
		record, err := s.app.Record(r.Context(), a.wildcards[0])
		if err != nil {
			return err
		}
		if !a.caller.sees(record.WorkflowID) {
			return store.ErrRunNotFound
		}
	case closed:
		return problem.New(http.StatusForbidden, problem.CodeForbidden,
			fmt.Sprintf("the key %s is limited to workflows, so it reaches only them and their runs; use a key without --workflow", a.caller.name))
	case open, filtered:
	}
	return nil
}

// filterPages is how many pages of runs are read to fill one page of a limited key.
const filterPages = 50

// visibleRuns returns a page of the runs that the caller may see. A page of a limited key may be
// short, even empty, although there are more.
func (s *Service) visibleRuns(a *answer, r *http.Request, q run.Query) (run.Page, error) {
	if !a.caller.isLimited() {
		return s.app.Runs(r.Context(), q)
	}
	if q.WorkflowID != "" && !a.caller.sees(q.WorkflowID) {
		return run.Page{}, nil
	}
	var shown run.Page
	read := 0
	for want := cmp.Or(q.Limit, run.DefaultLimit); want > len(shown.Items); {
		q.Limit = want - len(shown.Items)
		page, err := s.app.Runs(r.Context(), q)
		if err != nil {
			return run.Page{}, err
		}
		for i := range page.Items {
			if a.caller.sees(page.Items[i].WorkflowID) {
				shown.Items = append(shown.Items, page.Items[i])
			}
		}
		shown.NextCursor, q.Cursor = page.NextCursor, page.NextCursor
		if read++; page.NextCursor == "" || read == filterPages {
			break
		}
	}
	return shown, nil
}
