package httpapi

import (
	"math"
	"net/http"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/httpapi/keys"
)

// listKeys answers GET /keys.
func (s *Service) listKeys(a *answer, r *http.Request) error {
	list, err := s.ring.List(r.Context())
	if err != nil {
		return err
	}
	return a.json(http.StatusOK, list)
}

// makeKey answers POST /keys. It is the only answer that has the key.
func (s *Service) makeKey(a *answer, r *http.Request) error {
	text, err := s.body(a, r)
	if err != nil {
		return err
	}
	q, err := decodeKey(text)
	if err != nil {
		return err
	}
	a.subject = q.Name
	made, err := s.ring.Make(r.Context(), q)
	if err != nil {
		return err
	}
	a.Header().Set("Location", s.location("keys", q.Name))
	return a.json(http.StatusCreated, made)
}

// revokeKey answers DELETE /keys/{name}. A name that no key has is an error, since who
// has mistyped it must not take the key for revoked.
func (s *Service) revokeKey(a *answer, r *http.Request) error {
	if err := s.ring.Revoke(r.Context(), a.wildcards[0]); err != nil {
		return err
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

// decodeKey reads {"name":"ci","scopes":["read","run"],"budget":{"runs":2}}.
func decodeKey(text []byte) (q keys.Request, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		err := r.Object(2, []string{"name", "scopes", "budget"}, func(field string) (err error) {
			switch field {
			case "name":
				q.Name, err = r.Text()
			case "scopes":
				err = r.List(func() error {
					scope, err := r.Text()
					q.Scopes = append(q.Scopes, keys.Scope(scope))
					return err
				})
			case "budget":
				err = decodeBudget(r, &q.Budget)
			}
			return err
		})
		if wrong := q.Check(); err == nil && wrong != nil {
			return r.Errorf("%s", wrong)
		}
		return err
	})
	return q, err
}

func decodeBudget(r *value.Reader, b *keys.Budget) error {
	return r.Object(0, []string{"runs", "requestsPerMinute", "bytesPerDay"}, func(field string) (err error) {
		switch field {
		case "runs":
			b.Runs, err = r.Int(0, math.MaxInt32)
		case "requestsPerMinute":
			b.RequestsPerMinute, err = r.Int(0, math.MaxInt32)
		case "bytesPerDay":
			var n int
			n, err = r.Int(0, math.MaxInt)
			b.BytesPerDay = int64(n)
		}
		return err
	})
}
