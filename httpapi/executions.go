package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/httpapi/keys"
)

const keyHeader = "Idempotency-Key"

// startRun answers POST /executions. The run continues when the caller disconnects.
func (s *Service) startRun(a *answer, r *http.Request) error {
	var request run.Request
	if err := a.readIdempotencyKey(r, &request); err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	runID, err := s.startPosted(s.admitted(a, r), text, request)
	if err != nil {
		return err
	}
	return s.accepted(a, runID)
}

// startStored starts a stored workflow, for POST /workflows/{id}/run.
func (s *Service) startStored(a *answer, r *http.Request, workflowID string, start run.Request) error {
	runID, err := s.app.StartStored(s.admitted(a, r), workflowID, start)
	if err != nil {
		return err
	}
	return s.accepted(a, runID)
}

// readIdempotencyKey sets the idempotency key of a request for a run, if it has one. The key belongs
// to the API key of the caller: another caller's request must not get this one's run.
func (a *answer) readIdempotencyKey(r *http.Request, q *run.Request) error {
	sent := r.Header[keyHeader]
	if len(sent) == 0 {
		return nil
	}
	if len(sent) > 1 || sent[0] == "" {
		return problem.InvalidParameter("the header " + keyHeader + " has 1 to 255 characters, and comes once")
	}
	q.IdempotencyKey, q.KeyOwner = sent[0], a.caller.owner()
	return nil
}

// accepted answers with the id of a run that was started.
func (s *Service) accepted(a *answer, runID string) error {
	a.started = runID
	a.Header().Set("Location", s.location("executions", runID))
	return a.json(http.StatusAccepted, map[string]string{"runId": runID})
}

// location returns the address of an object for clients.
func (s *Service) location(resource, id string) string {
	return s.base + "/" + resource + "/" + url.PathEscape(id)
}

// listRuns answers GET /executions.
func (s *Service) listRuns(a *answer, r *http.Request) error {
	q, err := recordQuery(a.query)
	if err != nil {
		return err
	}
	if q.Limit, err = a.limit(run.MaxLimit); err != nil {
		return err
	}
	page, err := s.visibleRuns(a, r, q)
	if err != nil {
		return err
	}
	if page.Items == nil {
		page.Items = []run.Record{} // [], not null
	}
	s.app.AddFailures(r.Context(), page.Items)
	return a.json(http.StatusOK, page)
}

// recordQuery reads the filters and the cursor of a list of runs, but not its limit.
func recordQuery(query url.Values) (run.Query, error) {
	q := run.Query{WorkflowID: query.Get("workflowId"), Cursor: query.Get("cursor")}
	if query.Has("status") {
		err := q.Status.UnmarshalText([]byte(query.Get("status")))
		if err != nil || !slices.Contains(runStatuses(), q.Status) {
			return q, problem.InvalidParameter("the query parameter status is waiting, running, completed, failed or cancelled")
		}
	}
	return q, nil
}

// runStatuses returns the statuses that a run can have.
func runStatuses() []engine.Status {
	return []engine.Status{engine.StatusWaiting, engine.StatusRunning, engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled}
}

// getRun answers GET /executions/{id}.
func (s *Service) getRun(a *answer, r *http.Request) error {
	full, err := a.flag("full")
	if err != nil {
		return err
	}
	record, err := s.app.Record(r.Context(), a.wildcards[0])
	if err != nil {
		return err
	}
	text, err := json.Marshal(record)
	if err != nil || record.Status.GoesOn() {
		a.text(http.StatusOK, jsonType, append(text, '\n'))
		return err
	}
	body := &streamed{answer: a, text: append(bytes.TrimSuffix(text, []byte("}")), `,"result":`...)}
	if err := s.app.WriteResult(r.Context(), body, record.RunID, full); err != nil {
		return body.fail(err)
	}
	return body.end("}\n")
}

// getRunWorkflow answers GET /executions/{id}/workflow.
func (s *Service) getRunWorkflow(a *answer, r *http.Request) error {
	def, err := s.app.RunWorkflow(r.Context(), a.wildcards[0])
	if err != nil {
		return err
	}
	a.definition(r, def)
	return nil
}

// getRunInputs answers GET /executions/{id}/inputs.
func (s *Service) getRunInputs(a *answer, r *http.Request) error {
	inputs, err := s.app.RunInputs(r.Context(), a.wildcards[0])
	if err != nil {
		return err
	}
	a.out = append(value.Append(a.out, inputs), '\n')
	a.text(http.StatusOK, jsonType, a.out)
	return nil
}

// cancelRun answers POST /executions/{id}/cancel.
func (s *Service) cancelRun(a *answer, r *http.Request) error {
	if err := s.app.Cancel(r.Context(), a.wildcards[0]); err != nil {
		return err
	}
	a.WriteHeader(http.StatusAccepted)
	return nil
}

// deleteRun answers DELETE /executions/{id}.
func (s *Service) deleteRun(a *answer, r *http.Request) error {
	if err := s.app.DeleteRun(r.Context(), a.wildcards[0]); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// resumeRun answers POST /executions/{id}/resume.
func (s *Service) resumeRun(a *answer, r *http.Request) error {
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	how, err := decodeResumption(text, s.app.Limits())
	if err != nil {
		return err
	}
	if how.Workflow != nil {
		if err := a.caller.may(keys.Execute); err != nil {
			return err
		}
	}
	runID, err := s.app.Resume(s.admitted(a, r), a.wildcards[0], how)
	if err != nil {
		return err
	}
	return s.accepted(a, runID)
}

// getRunFiles answers GET /executions/{id}/files.
func (s *Service) getRunFiles(a *answer, r *http.Request) error {
	files, err := s.app.RunFiles(r.Context(), a.wildcards[0])
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, files)
}
