package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"unicode"
)

const (
	keyVariable = "SVC_API_KEY"
	minKey      = 16 // bytes
)

// apiKey is the digest of the key that callers have to send; nil lets everybody
// in. Digests have equal lengths, so that comparing them tells nothing about the
// key, not even how long it is.
type apiKey [sha256.Size]byte

// key returns the key of the service, or why there is none. No error repeats it.
func (c *Config) key() (*apiKey, error) {
	key, source := c.APIKey, "Config.APIKey"
	switch {
	case c.AllowAnonymous && key != "":
		return nil, errors.New("anonymous access is allowed although " + source + " holds a key: remove one of the two")
	case c.AllowAnonymous:
		return nil, nil
	case key == "":
		key, _ = c.Getenv(keyVariable)
		source = keyVariable
	}
	switch {
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

// admits reports whether r carries the key, in exactly one Authorization header.
func (k *apiKey) admits(r *http.Request) bool {
	if k == nil {
		return true
	}
	headers := r.Header["Authorization"]
	if len(headers) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	digest := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(digest[:], k[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// refuse asks for the key (RFC 6750 section 3). It tells nothing about what is
// behind the address.
func refuse(a *answer, r *http.Request) error {
	challenge := `Bearer realm="svc"`
	if len(r.Header["Authorization"]) > 0 {
		challenge += `, error="invalid_token"`
	}
	a.Header().Set("WWW-Authenticate", challenge)
	return newProblem(http.StatusUnauthorized, codeUnauthorized,
		"this needs the header Authorization: Bearer <API key>, once and with the key of this service")
}
