package httpapi

import (
	"net/http"
	"slices"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// activate answers POST /workflows/{id}/activation.
func (s *Service) activate(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	how, err := decodeArming(text)
	if err != nil {
		return err
	}
	made, err := s.app.Activate(r.Context(), id, how)
	if err != nil {
		return err
	}
	s.addressed(made.Triggers)
	return a.json(http.StatusOK, made)
}

// mostRevisions and mostConcurrent are the highest accepted numbers.
const (
	mostRevisions  = 1 << 53
	mostConcurrent = 1000
)

// decodeArming reads the settings of an activation. An empty text is an empty object.
func decodeArming(text []byte) (how run.Arming, err error) {
	if len(text) == 0 {
		return how, nil
	}
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(0, []string{"revision", "concurrency", "onInterrupted"}, func(field string) (err error) {
			switch field {
			case "revision":
				how.Revision, err = r.Int(1, mostRevisions)
			case "concurrency":
				how.Concurrency, err = r.Int(1, mostConcurrent)
			case "onInterrupted":
				how.OnInterrupted, err = onInterrupted(r)
			}
			return err
		})
	})
	return how, err
}

func onInterrupted(r *value.Reader) (run.OnInterrupted, error) {
	text, err := r.Text()
	word := run.OnInterrupted(text)
	if err == nil && word != run.Resume && word != run.Leave {
		err = r.Errorf("onInterrupted is %q or %q", run.Resume, run.Leave)
	}
	return word, err
}

// getActivation answers GET /workflows/{id}/activation.
func (s *Service) getActivation(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	active, err := s.app.Activation(r.Context(), id)
	if err != nil {
		return err
	}
	s.addressed(active.Triggers)
	return a.json(http.StatusOK, active)
}

// deactivate answers DELETE /workflows/{id}/activation.
func (s *Service) deactivate(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	if err := s.app.Deactivate(r.Context(), id); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// listActivations answers GET /activations.
func (s *Service) listActivations(a *answer, r *http.Request) error {
	all, err := s.app.Activations(r.Context())
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(append([]run.Activation{}, all...), func(active run.Activation) bool { return !a.caller.sees(active.WorkflowID) }) // [], not null
	for i := range all {
		s.addressed(all[i].Triggers)
	}
	return a.json(http.StatusOK, all)
}

// listTriggers answers GET /triggers.
func (s *Service) listTriggers(a *answer, r *http.Request) error {
	all, err := s.app.Triggers(r.Context())
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(append([]run.Trigger{}, all...), func(t run.Trigger) bool { return !a.caller.sees(t.WorkflowID) }) // [], not null
	s.addressed(all)
	return a.json(http.StatusOK, all)
}

// getLastFiring answers GET /triggers/{workflowId}/{nodeId}/last.
func (s *Service) getLastFiring(a *answer, r *http.Request) error {
	last, err := s.app.LastFiring(r.Context(), a.wildcards[0], a.wildcards[1])
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, last)
}

// addressed adds the base URL of the service to the addresses of hooks.
func (s *Service) addressed(all []run.Trigger) {
	for i := range all {
		if all[i].URL != "" {
			all[i].URL = s.base + all[i].URL
		}
	}
}
