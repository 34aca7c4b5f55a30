package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/openbao/openbao/api/v2"

	"github.com/svcflow/svc/credentials"
)

// errLogin marks errors of a login.
var errLogin = errors.New("log in to the vault")

// explain turns the error of a request into one that is safe to show, and logs the
// details.
func (s *session) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, credentials.ErrUnavailable):
		return err
	case isConflict(err):
		return fmt.Errorf("%w: the vault has a newer version", credentials.ErrConflict)
	}
	says := s.diagnosis(err)
	s.log.WarnContext(ctx, "the vault cannot be used", "reason", says, "cause", cause(err))
	return fmt.Errorf("%w: %s", credentials.ErrUnavailable, says)
}

// diagnosis says what is wrong, and what to do.
func (s *session) diagnosis(err error) string {
	code := status(err)
	switch {
	case errors.Is(err, errLogin) && code >= 400 && code < 500:
		return "the vault refuses the login; renew the token, or the role and secret ids, that the server has for it"
	case code == http.StatusForbidden:
		return "the vault forbids it; the token has expired, its policy does not allow this, or no engine is mounted, at " + s.path
	case code == http.StatusServiceUnavailable && isSealed(err):
		return "the vault is sealed; unseal it"
	case code != 0:
		return fmt.Sprintf("the vault answers with status %d; see its log", code)
	case errors.Is(err, context.DeadlineExceeded):
		return "the vault does not answer in time"
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return "the vault cannot be reached; see whether it runs, and whether its address is right"
	}
	return "what answers at the vault's address is no vault; see whether the address is right"
}

// status returns the HTTP status of the vault's answer, 0 if err is not from one.
func status(err error) int {
	if answer, ok := errors.AsType[*api.ResponseError](err); ok {
		return answer.StatusCode
	}
	return 0
}

func isConflict(err error) bool {
	return status(err) == http.StatusBadRequest && strings.Contains(err.Error(), "check-and-set parameter did not match")
}

func isSealed(err error) bool { return strings.Contains(strings.ToLower(err.Error()), "sealed") }

// cause returns what may be logged of err. A text that is not the vault's own may
// hold anything, the request included.
func cause(err error) string {
	if answer, ok := errors.AsType[*api.ResponseError](err); ok {
		if answer.RawError {
			return fmt.Sprintf("status %d with a body that is not the vault's", answer.StatusCode)
		}
		return fmt.Sprintf("status %d: %s", answer.StatusCode, strings.Join(answer.Errors, "; "))
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err.Error()
	}
	return fmt.Sprintf("%T", err)
}
