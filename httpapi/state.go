package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// stateHandler answers requests for a key of a workflow, or, without a workflow, for a shared key.
type stateHandler func(a *answer, r *http.Request, workflowID, key string) error

// sharedState returns a handler of /state/shared/{key}.
func sharedState(serve stateHandler) handler {
	return func(a *answer, r *http.Request) error { return serve(a, r, "", a.wildcards[0]) }
}

// workflowState returns a handler of /state/workflow/{id}/{key}.
func workflowState(serve stateHandler) handler {
	return func(a *answer, r *http.Request) error {
		id, err := a.workflowID()
		if err != nil {
			return err
		}
		return serve(a, r, id, a.wildcards[1])
	}
}

// listSharedState answers GET /state/shared.
func (s *Service) listSharedState(a *answer, r *http.Request) error { return s.listStateOf(a, r, "") }

// listState answers GET /state/workflow/{id}.
func (s *Service) listState(a *answer, r *http.Request) error {
	id, err := a.workflowID()
	if err != nil {
		return err
	}
	return s.listStateOf(a, r, id)
}

func (s *Service) listStateOf(a *answer, r *http.Request, workflowID string) error {
	page, err := s.app.States(r.Context(), workflowID, a.query.Get("cursor"))
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, page)
}

func (s *Service) getState(a *answer, r *http.Request, workflowID, key string) error {
	kept, err := s.app.State(r.Context(), workflowID, key)
	if err != nil {
		return err
	}
	etag := stateTag(kept)
	if tag := known(r, etag); tag != "" {
		a.Header().Set("ETag", tag)
		a.Header().Add("Vary", "Accept-Encoding")
		a.WriteHeader(http.StatusNotModified)
		return nil
	}
	return a.state(kept)
}

func (s *Service) putState(a *answer, r *http.Request, workflowID, key string) error {
	cond, err := condition(r)
	if err != nil {
		return err
	}
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	v, ttl, err := decodeState(text)
	if err != nil {
		return err
	}
	kept, err := s.app.SetState(r.Context(), workflowID, key, v, ttl, cond)
	if err != nil {
		return err
	}
	return a.state(kept)
}

func (s *Service) deleteState(a *answer, r *http.Request, workflowID, key string) error {
	cond, err := condition(r)
	if err != nil {
		return err
	}
	if err := s.app.DeleteState(r.Context(), workflowID, key, cond); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// state sends a value with its revision as entity tag.
func (a *answer) state(kept run.State) error {
	a.Header().Set("ETag", stateTag(kept))
	return a.json(http.StatusOK, kept)
}

func stateTag(kept run.State) string { return `"` + strconv.Itoa(kept.Revision) + `"` }

// decodeState reads {"value":17,"ttl":"24h"}.
func decodeState(text []byte) (v any, ttl time.Duration, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(1, []string{"value", "ttl"}, func(field string) (err error) {
			if field == "value" {
				v, err = r.Value()
				return err
			}
			text, err := r.Text()
			if err != nil {
				return err
			}
			if ttl, err = time.ParseDuration(text); err != nil || ttl < time.Second {
				return r.Errorf("%s", fmt.Sprintf("%q is no time to live; write one from a second on, such as 90s, 15m or 720h", text))
			}
			return nil
		})
	})
	return v, ttl, err
}
