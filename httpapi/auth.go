package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/httpapi/keys"
	"github.com/svcflow/svc/httpapi/keys/ring"
)

const (
	keyVariable = "SVC_API_KEY"
	minKey      = 16 // bytes
)

// apiKey is the digest of the API key; nil turns authentication off. Digests have equal lengths, so
// comparing them reveals nothing about the key, not even its length.
type apiKey [sha256.Size]byte

// key returns the key of the service, or an error that says why there is no valid one. Errors never
// contain the key.
func (c *Config) key() (*apiKey, error) {
	key, source := c.secret()
	switch {
	case c.AllowAnonymous && key != "":
		return nil, errors.New("anonymous access is allowed although " + source + " holds a key: remove one of the two")
	case c.AllowAnonymous:
		return nil, nil
	case key == "":
		return nil, errors.New("no API key: set Config.APIKey or the environment variable " + keyVariable +
			", or set Config.AllowAnonymous if something else decides who may come in")
	case len(key) < minKey:
		return nil, errors.New("the API key in " + source + " is too short: use at least 16 bytes, such as the output of `openssl rand -hex 32`")
	case strings.TrimSpace(key) != key || strings.ContainsFunc(key, unicode.IsControl):
		return nil, errors.New("the API key in " + source + " has white space at an end, or control characters: no client could send it")
	}
	digest := apiKey(sha256.Sum256([]byte(key)))
	return &digest, nil
}

// secret returns the configured key and its source.
func (c *Config) secret() (key, source string) {
	if c.APIKey != "" || c.AllowAnonymous {
		return c.APIKey, "Config.APIKey"
	}
	key, _ = c.Getenv(keyVariable)
	return key, keyVariable
}

// admits reports whether secret is the key.
func (k *apiKey) admits(secret string) bool {
	digest := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(digest[:], k[:]) == 1
}

// caller is the sender of a request.
type caller struct {
	name   string // for logs; "" if unknown
	scopes []keys.Scope
	key    *ring.Held // nil unless the caller has a named key
}

// masterOf returns the caller with full access: the one that has key, or every caller if key is
// nil.
func masterOf(key *apiKey) caller {
	c := caller{name: keys.Main, scopes: []keys.Scope{keys.Admin}}
	if key == nil {
		c.name = keys.Anonymous
	}
	return c
}

// enter identifies the sender of r and counts r for its budget.
func (s *Service) enter(a *answer, r *http.Request) (err error) {
	if a.caller, err = s.callerOf(r); err != nil || a.caller.key == nil {
		return err
	}
	err = a.caller.begin(r)
	if errors.Is(err, ring.ErrRevoked) {
		a.caller = caller{}
		return refused(r)
	}
	return err
}

// callerOf identifies the sender of r. The request must have exactly one Authorization header.
func (s *Service) callerOf(r *http.Request) (caller, error) {
	if s.key == nil {
		return s.master, nil
	}
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return caller{}, refused(r)
	}
	scheme, secret, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return caller{}, refused(r)
	}
	if s.key.admits(secret) {
		return s.master, nil
	}
	held, err := s.ring.Find(secret)
	switch {
	case err != nil:
		return caller{}, err
	case held == nil:
		return caller{}, refused(r)
	}
	return caller{held.Name, held.Scopes, held}, nil
}

// owner identifies the key of the caller for as long as it exists; a later key of the same name is
// another owner. It is "" for callers without a named key.
func (c *caller) owner() string {
	if c.key == nil {
		return ""
	}
	return c.key.Name + "@" + strconv.FormatInt(c.key.CreatedAt.Unix(), 36)
}

// may returns an error if the caller lacks a scope.
func (c *caller) may(asked keys.Scope) error {
	if asked == "" || keys.Allow(c.scopes, asked) {
		return nil
	}
	return problem.New(http.StatusForbidden, problem.CodeForbidden,
		fmt.Sprintf("this needs a key with the scope %s; the key %s has %s", asked, c.name, keys.Words(c.scopes)))
}

// refused returns the challenge for a key (RFC 6750 section 3). It does not reveal whether the
// address exists.
func refused(r *http.Request) error {
	challenge := `Bearer realm="svc"`
	if len(r.Header["Authorization"]) > 0 {
		challenge += `, error="invalid_token"`
	}
	return problem.New(http.StatusUnauthorized, problem.CodeUnauthorized,
		"this needs the header Authorization: Bearer <API key>, once and with a key of this service").With("WWW-Authenticate", challenge)
}
