// Package oauthtest has a network with OAuth 2.0 for tests of logins and refreshes. Like
// strict networks, it requires PKCE, accepts each code and each refresh token only once,
// and ends the whole login if one is used again.
package oauthtest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/credentials"
)

// ClientID is the only client that a Network knows.
const ClientID = "test-client"

// Network is an [http.Handler] with the paths /authorize, /token and /revoke. Set
// the fields before its first request. It is safe for concurrent use.
type Network struct {
	Secret   string        // of the client; empty: a public client
	Lifetime time.Duration // of access tokens; 0: not in the responses
	Deny     bool          // users do not consent
	// Answer, if not nil, is called for each token request first; true means that it has
	// responded.
	Answer func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	codes   map[string]url.Values // the authorization requests of unused codes
	alive   map[string]bool       // valid tokens
	used    map[string]bool       // used refresh tokens
	renewed int
	reused  int
}

// ServeHTTP implements [http.Handler].
func (n *Network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if r.URL.Path == "/token" && n.Answer != nil && n.Answer(w, r) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /authorize":
		n.authorize(w, r)
	case "POST /token":
		n.token(w, r)
	case "POST /revoke":
		if !n.knows(r) {
			refuse(w, http.StatusUnauthorized, "invalid_client")
			return
		}
		delete(n.alive, r.Form.Get("token"))
	default:
		http.NotFound(w, r)
	}
}

// authorize grants the request without a user.
func (n *Network) authorize(w http.ResponseWriter, r *http.Request) {
	back := url.Values{"state": {r.Form.Get("state")}, "iss": {"http://" + r.Host}}
	switch {
	case n.Deny:
		back.Set("error", "access_denied")
	case r.Form.Get("client_id") != ClientID, r.Form.Get("code_challenge_method") != "S256":
		back.Set("error", "invalid_request")
	default:
		code := "code-" + rand.Text()
		if n.codes == nil {
			n.codes = map[string]url.Values{}
		}
		n.codes[code] = r.Form
		back.Set("code", code)
	}
	http.Redirect(w, r, r.Form.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (n *Network) token(w http.ResponseWriter, r *http.Request) {
	switch {
	case !n.knows(r):
		refuse(w, http.StatusUnauthorized, "invalid_client")
	case r.Form.Get("grant_type") == "authorization_code" && n.redeem(r.Form):
		n.answer(w)
	case r.Form.Get("grant_type") == "refresh_token" && n.rotate(r.Form.Get("refresh_token")):
		n.answer(w)
	default:
		refuse(w, http.StatusBadRequest, "invalid_grant")
	}
}

func (n *Network) knows(r *http.Request) bool {
	id, secret := r.Form.Get("client_id"), r.Form.Get("client_secret")
	if user, password, ok := r.BasicAuth(); ok {
		id, _ = url.QueryUnescape(user) // RFC 6749 section 2.3.1
		secret, _ = url.QueryUnescape(password)
	}
	return id == ClientID && secret == n.Secret
}

// redeem exchanges a code if it belongs to the parameters of the request.
func (n *Network) redeem(form url.Values) bool {
	asked, ok := n.codes[form.Get("code")]
	delete(n.codes, form.Get("code"))
	challenge := sha256.Sum256([]byte(form.Get("code_verifier")))
	return ok && asked.Get("redirect_uri") == form.Get("redirect_uri") &&
		asked.Get("code_challenge") == base64.RawURLEncoding.EncodeToString(challenge[:])
}

// rotate accepts a refresh token once.
func (n *Network) rotate(token string) bool {
	if n.used[token] {
		n.reused++
		clear(n.alive) // the whole login ends
	}
	if !n.alive[token] {
		return false
	}
	delete(n.alive, token)
	n.used[token] = true
	n.renewed++
	return true
}

func (n *Network) answer(w http.ResponseWriter) {
	c := n.issue()
	body := map[string]any{"access_token": c.Access.Reveal(), "refresh_token": c.Refresh.Reveal(), "token_type": "bearer", "scope": "a b"}
	if n.Lifetime > 0 {
		body["expires_in"] = int(n.Lifetime.Seconds())
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // into a connection of a test
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code, "error_description": "canary of " + code}) // into a connection of a test
}

// Issue returns tokens as after a login, with the given expiry.
func (n *Network) Issue(expiresAt time.Time) credentials.Credential {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.issue()
	c.ExpiresAt = expiresAt
	return c
}

func (n *Network) issue() credentials.Credential {
	if n.alive == nil {
		n.alive, n.used = map[string]bool{}, map[string]bool{}
	}
	access, refresh := "canary-access-"+rand.Text(), "canary-refresh-"+rand.Text()
	n.alive[access], n.alive[refresh] = true, true
	return credentials.Credential{Access: credentials.NewSecret(access), Refresh: credentials.NewSecret(refresh)}
}

// Alive reports whether the network still accepts a token.
func (n *Network) Alive(token credentials.Secret) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.alive[token.Reveal()]
}

// AliveTokens returns the number of valid access and refresh tokens.
func (n *Network) AliveTokens() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.alive)
}

// Refreshes returns the number of accepted refresh tokens, and of those that were used
// again.
func (n *Network) Refreshes() (renewed, reused int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.renewed, n.reused
}

// Settings returns the environment that configures this network at base under name, such as
// PRONET_TOKEN_URL.
func (n *Network) Settings(name, base string) map[string]string {
	prefix := strings.ToUpper(name) + "_"
	return map[string]string{
		prefix + "CLIENT_ID": ClientID, prefix + "CLIENT_SECRET": n.Secret,
		prefix + "AUTH_URL": base + "/authorize", prefix + "TOKEN_URL": base + "/token", prefix + "REVOKE_URL": base + "/revoke",
	}
}

// RoundTrip implements [http.RoundTripper]: requests reach the network without a
// connection, for tests in a synctest bubble.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	n.ServeHTTP(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}
