package oauth

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/oauth2"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// early is how long before its expiry a token counts as expired, so that a request with it
// arrives in time. Short-lived tokens lose a tenth of their life.
const early = time.Minute

// credential converts a network's token to a credential. old is the credential that was
// renewed, or zero after a login.
func (c *Client) credential(token *oauth2.Token, old credentials.Credential) (credentials.Credential, error) {
	switch {
	case !strings.EqualFold(token.Type(), cmp.Or(c.entry.TokenType, "Bearer")):
		return credentials.Credential{}, fmt.Errorf("%w: %s gave no bearer token", ErrRefused, c.Network)
	case strings.ContainsFunc(token.AccessToken+token.RefreshToken, unicode.IsControl):
		return credentials.Credential{}, fmt.Errorf("%w: %s gave a token with control characters", ErrRefused, c.Network)
	}
	renewed := credentials.Credential{
		Access: credentials.NewSecret(token.AccessToken), Refresh: credentials.NewSecret(token.RefreshToken),
		Scopes: old.Scopes, Kind: old.Kind, Hosts: old.Hosts, Revision: old.Revision,
	}
	if old.Access.IsZero() {
		renewed.Scopes = c.Scopes // the requested scopes, unless the response has others (RFC 6749 section 5.1)
	}
	if scope, ok := token.Extra("scope").(string); ok && scope != "" {
		renewed.Scopes = strings.FieldsFunc(scope, func(r rune) bool { return r == ' ' || r == ',' })
	}
	if !token.Expiry.IsZero() {
		lifetime := max(0, time.Until(token.Expiry))
		renewed.ExpiresAt = token.Expiry.Add(-min(early, lifetime/10)).UTC().Truncate(time.Second)
	}
	return renewed, nil
}

// failure makes an error of a failed token request. invalidGrant is the error for a code or
// refresh token that the network refuses. The text quotes only the network's error code, if
// it looks like one.
func (c *Client) failure(ctx context.Context, err, invalidGrant error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok {
		return c.unanswered(err)
	}
	status := answer.Response.StatusCode
	switch code := answer.ErrorCode; {
	case status >= 500, status == http.StatusTooManyRequests, status == http.StatusRequestTimeout,
		code == "temporarily_unavailable", code == "server_error":
		return fmt.Errorf("%w: %s answered with status %d; try again later", credentials.ErrUnavailable, c.Network, status)
	case deadGrants[code]:
		return invalidGrant
	case code == "invalid_client", code == "unauthorized_client", status == http.StatusUnauthorized:
		return fmt.Errorf("%w: %s does not know this client; check %s, %s and %s", ErrRefused, c.Network,
			c.entry.Variable(network.SettingClientID), c.entry.Variable(network.SettingClientSecret), c.entry.Variable(network.SettingAuthStyle))
	default:
		return fmt.Errorf("%w: %s answered with status %d%s", ErrRefused, c.Network, status, plain(code))
	}
}

// deadGrants are the error codes for a code or refresh token that will never work again:
// that of RFC 6749 section 5.2, and what networks send instead.
var deadGrants = map[string]bool{ //nolint:gochecknoglobals // a constant table
	"invalid_grant": true, "bad_refresh_token": true, "invalid_refresh_token": true, "expired_refresh_token": true, "refresh_token_expired": true,
	"bad_verification_code": true, "invalid_code": true, "code_expired": true, "code_already_used": true,
	"invalid_token": true, "token_expired": true, "expired_token": true, "token_revoked": true, "token_rotated": true, "account_inactive": true,
}

// refusal is an error of a transport that may not reach an address, such as those of the
// network policy of a server.
type refusal interface {
	error
	Forbidden() bool
}

// unanswered makes an error for a request without an answer.
func (c *Client) unanswered(err error) error {
	if known, ok := errors.AsType[refusal](err); ok && known.Forbidden() {
		return fmt.Errorf("%w: the token address of %s: %w", ErrRefused, c.Network, known)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("%w: %s cannot be reached: %s", credentials.ErrUnavailable, c.Network, wordless(failed))
	}
	return fmt.Errorf("%w: %s answered with something that is no token", ErrRefused, c.Network)
}

// wordless returns the reason of a failed request without quoting the peer.
func wordless(err *url.Error) string {
	if err.Timeout() {
		return "no answer in time"
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok {
		return dial.Error()
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate.Error()
	}
	return "the connection broke"
}

// reauthorize is the error for a credential that only a login can replace.
func reauthorize(network string) error {
	return fmt.Errorf("%w (%s does not renew it)", credentials.ErrReauthorize, network)
}

// plain returns an error code of a network (RFC 6749 section 5.2) for use in a message, and
// "" if it is not a valid one.
func plain(code string) string {
	if !regexp.MustCompile(`^[a-z_]{1,64}$`).MatchString(code) {
		return ""
	}
	return " (" + code + ")"
}

// maxAnswer is the largest response, in bytes. Tokens have a few thousand at most.
const maxAnswer = 64 << 10

var errTooLong = errors.New("the answer is too long")

// bounded is a transport whose answers end with an error after maxAnswer bytes.
type bounded struct{ base http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	base := b.base
	if base == nil {
		base = http.DefaultTransport
	}
	answer, err := base.RoundTrip(request)
	if err == nil {
		answer.Body = &boundedBody{answer.Body, maxAnswer}
	}
	return answer, err
}

type boundedBody struct {
	io.ReadCloser
	left int // bytes that may still be read
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.left -= n
	if b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}
