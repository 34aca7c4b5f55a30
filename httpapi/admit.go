package httpapi

import (
	"context"
	"net/http"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/internal/admission"
)

// gate returns that of a service; nil if there is none.
func (c *Config) gate(w *watch) *admission.Gate {
	if c.Admit <= 0 {
		return nil
	}
	return admission.New(c.Admit, &w.local.Memory, &w.local.Processors)
}

// admitted returns the context of r with its ticket, for what loads and runs workflows.
func (s *Service) admitted(a *answer, r *http.Request) context.Context {
	if s.gate == nil {
		return r.Context()
	}
	return admission.WithReservation(r.Context(), s.ticket(a))
}

// ticket returns that of a.
func (s *Service) ticket(a *answer) *admission.Reservation {
	if a.ticket == nil {
		a.ticket = admission.NewReservation(s.gate)
	}
	return a.ticket
}

// admit asks whether a body may come of which so much is announced; -1 is any length.
func (s *Service) admit(ctx context.Context, a *answer, length int64) error {
	if s.gate == nil {
		return nil
	}
	if length < 0 || length > admission.SmallBody {
		return s.ticket(a).Reserve(ctx, max(length, admission.SmallBody))
	}
	return s.ticket(a).Reserve(ctx, admission.BodyGrowth*length)
}

// admitDecoded asks whether there is memory for what a body becomes that has come.
func (s *Service) admitDecoded(a *answer, r *http.Request, text []byte) error {
	if s.gate == nil || int64(len(text)) <= admission.SmallBody && r.ContentLength >= 0 {
		return nil
	}
	t := s.ticket(a)
	if err := t.WaitTurn(r.Context()); err != nil {
		return err
	}
	bytes := value.DecodedWeight(text)
	t.EndCompute() // for what it waits now may take a while
	if err := t.ReserveWaiting(r.Context(), int64(bytes)); err != nil {
		return err
	}
	return t.StartCompute(r.Context(), bytes)
}
