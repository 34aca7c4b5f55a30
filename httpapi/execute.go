package httpapi

import (
	"net/http"

	"github.com/svcflow/svc/engine"
)

// elideAbove is how many bytes of JSON an output of a node may have to be shown
// without ?full=true.
const elideAbove = 64 << 10

// validate answers POST /validate. It runs nothing.
func (s *Service) validate(a *answer, r *http.Request) error {
	def, err := s.definition(a, r)
	if err != nil {
		return err
	}
	problems, err := s.app.Validate(r.Context(), def)
	if err != nil {
		return err
	}
	if problems == nil {
		problems = engine.ValidationErrors{} // [], not null
	}
	return a.json(http.StatusOK, problems)
}

// execute answers POST /execute. The run is cancelled when the caller leaves.
func (s *Service) execute(a *answer, r *http.Request) error {
	full, err := flag(r, "full")
	if err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	run, err := s.executePosted(r.Context(), text)
	if err != nil {
		return err
	}
	a.run(run, full)
	return nil
}

// runWorkflow answers POST /workflows/{id}/run. The run is cancelled when the
// caller leaves, unless it is asynchronous.
func (s *Service) runWorkflow(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	full, err := flag(r, "full")
	if err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	request, err := decodeRun(text)
	if err != nil {
		return err
	}
	if request.async {
		return s.startStored(a, r, id, engine.Start{Inputs: request.Inputs, Overrides: request.Overrides})
	}
	run, err := s.app.ExecuteStored(r.Context(), id, request.RunOptions)
	if err != nil {
		return err
	}
	a.run(run, full)
	return nil
}

// run sends the result of a run, whatever came of it.
func (a *answer) run(run *engine.Run, full bool) {
	a.out = append(run.AppendJSON(a.out, elision(full)), '\n')
	a.text(http.StatusOK, jsonType, a.out)
}

// elision returns how long an output of a node may be to be shown.
func elision(full bool) int {
	if full {
		return engine.NoElision
	}
	return elideAbove
}
