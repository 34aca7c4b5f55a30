package httpapi

import (
	"net/http"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/keys"
)

// validate answers POST /validate. It runs nothing.
func (s *Service) validate(a *answer, r *http.Request) error {
	def, err := s.definition(a, r)
	if err != nil {
		return err
	}
	problems, err := s.app.Validate(s.admitted(a, r), def)
	if err != nil {
		return err
	}
	if problems == nil {
		problems = engine.ValidationErrors{} // [], not null
	}
	return a.json(http.StatusOK, problems)
}

// hints answers POST /hints. It runs nothing. An invalid workflow has problems instead of hints, as
// when it is run.
func (s *Service) hints(a *answer, r *http.Request) error {
	def, err := s.definition(a, r)
	if err != nil {
		return err
	}
	hints, err := s.app.Hints(s.admitted(a, r), def)
	if err != nil {
		return err
	}
	if hints == nil {
		hints = []engine.Hint{} // [], not null
	}
	return a.json(http.StatusOK, hints)
}

// layout answers POST /layout. It neither runs nor validates the workflow.
func (s *Service) layout(a *answer, r *http.Request) error {
	keep, err := a.flag("keep")
	if err != nil {
		return err
	}
	def, err := s.definition(a, r)
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, s.app.Layout(def, keep))
}

// execute answers POST /execute. The run is cancelled when the caller disconnects.
func (s *Service) execute(a *answer, r *http.Request) error {
	full, err := a.flag("full")
	if err != nil {
		return err
	}
	record, err := a.flag("record")
	if err != nil {
		return err
	}
	request := run.Request{KeepOutputs: kept(full), Record: record}
	if err := a.readIdempotencyKey(r, &request); err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	a.waited = true
	ended, err := s.executePosted(s.admitted(a, r), text, request)
	if err != nil {
		return err
	}
	return s.send(a, r, ended, full)
}

// runWorkflow answers POST /workflows/{id}/run. A synchronous run is cancelled when the caller
// disconnects.
func (s *Service) runWorkflow(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	full, err := a.flag("full")
	if err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	request, err := decodeForStored(text)
	if err != nil {
		return err
	}
	if len(request.Overrides) > 0 {
		if err := a.caller.may(keys.Execute); err != nil {
			return err
		}
	}
	if err := a.readIdempotencyKey(r, &request.Request); err != nil {
		return err
	}
	request.KeepOutputs = kept(full)
	if request.async {
		return s.startStored(a, r, id, request.Request)
	}
	a.waited = true
	ended, err := s.app.ExecuteStored(s.admitted(a, r), id, request.Request)
	if err != nil {
		return err
	}
	return s.send(a, r, ended, full)
}

// send sends the result of a run, also of a failed one. A large result first waits for memory.
func (s *Service) send(a *answer, r *http.Request, ended app.Outcome, full bool) error {
	a.subject = ended.ID()
	full, sent, err := s.admitAnswer(a, r, ended, full)
	if err != nil {
		return err
	}
	defer sent()
	a.out = append(ended.AppendJSON(a.out, elision(full)), '\n')
	a.text(http.StatusOK, jsonType, a.out)
	return nil
}

const (
	largeAnswer  = 1 << 20 // answers with more bytes of values are counted
	answerGrowth = 2       // factor for values that are in memory both decoded and as JSON
)

// admitAnswer waits until there is memory for an answer. whole is false if the complete node
// outputs would exceed the memory for all answers; they are then truncated, as if the caller had
// not asked for them. Until sent is called, the values count as values of runs, since many waiting
// answers would otherwise exceed the memory.
func (s *Service) admitAnswer(a *answer, r *http.Request, ended app.Outcome, full bool) (whole bool, sent func(), err error) {
	sent = func() {}
	sized, ok := ended.(interface {
		Bytes() int
		OutputBytes() int
	})
	if !ok || s.gate == nil {
		return full, sent, nil
	}
	bytes := 0
	if full {
		bytes = sized.Bytes() * answerGrowth
		full = !s.gate.Exceeds(bytes)
	}
	if !full {
		bytes = sized.OutputBytes() * answerGrowth
	}
	switch {
	case bytes < largeAnswer:
		return full, sent, nil
	case s.gate.Exceeds(bytes):
		return false, sent, s.gate.Full()
	}
	sent = s.gate.Memory.Keep(bytes / answerGrowth)
	if err = s.ticket(a).ReserveWaiting(r.Context(), int64(bytes)); err == nil {
		err = s.ticket(a).StartCompute(r.Context(), bytes)
	}
	if err != nil {
		sent()
	}
	return full, sent, err
}

// kept returns which node outputs a run must keep to its end.
func kept(full bool) engine.Keep {
	if full {
		return engine.KeepAll
	}
	return engine.KeepShown
}

// elision returns the length from which on node outputs are truncated.
func elision(full bool) int {
	if full {
		return engine.NoElision
	}
	return limit.Shown
}
