package oauth

import (
	"context"
	"errors"

	"github.com/svcflow/svc/credentials"
)

// Errors of logins. Errors of this package wrap these or those of package credentials.
// Their texts say what to do and are safe to show: of what a network sent they hold only
// its error codes.
var (
	ErrUnknownNetwork = errors.New("there is no login for this network")
	ErrNotConfigured  = errors.New("the network is not set up for logins")
	ErrDenied         = errors.New("access was denied; log in again and consent, or choose another account")
	ErrState          = errors.New("this answer belongs to no login that is under way; begin the login again")
	ErrIssuer         = errors.New("the answer to the login comes from another network than was asked")
	ErrExpired        = errors.New("the login took too long, or its answer was used before; begin the login again")
	ErrTimeout        = errors.New("nobody logged in within the time allowed; begin the login again")
	ErrRefused        = errors.New("the network refused the request")
	// ErrPage means that the address of a login page must not be opened.
	ErrPage = errors.New("this is no page to log in at, so it is not opened")
	// ErrNotRevoked means that the tokens were not revoked at the network.
	ErrNotRevoked = errors.New("the account is forgotten here, but its tokens may stay valid at the network; end its access in the account's settings there")
)

// Code returns the stable code of an error of this package or of a provider, for
// programs: unknown_network, not_configured, denied, wrong_state, wrong_issuer,
// expired, timeout, refused, not_revoked, unknown_login, too_many_logins, cancelled, unknown_credential,
// reauthorize, read_only, conflict, unavailable, malformed, or failed for any
// other. It is empty for nil.
func Code(err error) string {
	if err == nil {
		return ""
	}
	for _, row := range []struct {
		err  error
		code string
	}{
		{ErrUnknownNetwork, "unknown_network"},
		{ErrNotConfigured, "not_configured"},
		{ErrDenied, "denied"},
		{ErrState, "wrong_state"},
		{ErrIssuer, "wrong_issuer"},
		{ErrExpired, "expired"},
		{ErrTimeout, "timeout"},
		{context.DeadlineExceeded, "timeout"},
		{ErrRefused, "refused"},
		{ErrPage, "refused"},
		{ErrNotRevoked, "not_revoked"},
		{ErrUnknownLogin, "unknown_login"},
		{ErrTooManyLogins, "too_many_logins"},
		{context.Canceled, "cancelled"},
		{credentials.ErrNotFound, "unknown_credential"},
		{credentials.ErrReauthorize, "reauthorize"},
		{credentials.ErrReadOnly, "read_only"},
		{credentials.ErrConflict, "conflict"},
		{credentials.ErrUnavailable, "unavailable"},
		{credentials.ErrMalformed, "malformed"},
	} {
		if errors.Is(err, row.err) {
			return row.code
		}
	}
	return "failed"
}
