package sim

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// codeLifetime is how long an authorization code is valid.
const codeLifetime = time.Minute

// login is a session of an account, with its tokens.
type login struct {
	account *Account
	scopes  []string
	access  string
	expires time.Time // zero: never
	refresh string    // empty: no refresh token
}

// logins holds the valid tokens and authorization codes.
type logins struct {
	first    *Account          // the account that consents to authorization requests
	scopes   []string          // all that the network defines
	access   map[string]*login // by access token
	refresh  map[string]*login // by refresh token
	replaced map[string]*login // by refresh token that was used already
	codes    map[string]consent
}

// consent is an authorization request that was granted, by its code.
type consent struct {
	asked   url.Values
	expires time.Time
}

func newLogins(seed Seed, scopes []string) *logins {
	l := &logins{
		scopes: scopes, access: map[string]*login{}, refresh: map[string]*login{},
		replaced: map[string]*login{}, codes: map[string]consent{},
	}
	for i := range seed.Accounts {
		a := &seed.Accounts[i]
		if a.Token == "" {
			continue
		}
		if l.first == nil {
			l.first = a
		}
		l.access[a.Token] = &login{account: a, scopes: scopes, access: a.Token}
	}
	return l
}

// of returns the login of an access token, or nil if the token is invalid or expired.
func (l *logins) of(access string, now time.Time) *login {
	found := l.access[access]
	if found == nil || !found.expires.IsZero() && !now.Before(found.expires) {
		return nil
	}
	return found
}

// renew replaces the tokens of a login.
func (l *logins) renew(in *login, lifetime time.Duration, refreshable bool) {
	delete(l.access, in.access)
	in.access, in.expires = "sim-access-"+rand.Text(), time.Now().Add(lifetime)
	l.access[in.access] = in
	if refreshable {
		in.refresh = "sim-refresh-" + rand.Text()
		l.refresh[in.refresh] = in
	}
}

// end revokes the tokens of a login.
func (l *logins) end(in *login) {
	delete(l.access, in.access)
	delete(l.refresh, in.refresh)
}

// authorize grants an authorization request without asking anybody, and redirects the
// browser back to the client.
func (n *Network) authorize(c *call) answer {
	asked := c.query()
	target, err := url.Parse(asked.Get("redirect_uri"))
	if err != nil || target.Host == "" || asked.Get("client_id") != ClientID || n.logins.first == nil {
		return answer{status: http.StatusBadRequest, body: map[string]string{"error": "invalid_request"}}
	}
	back := target.Query()
	back.Set("state", asked.Get("state"))
	back.Set("iss", c.base)
	unknown := func(scope string) bool { return !slices.Contains(n.logins.scopes, scope) }
	switch {
	case asked.Get("response_type") != "code":
		back.Set("error", "unsupported_response_type")
	case asked.Get("state") == "", asked.Get("code_challenge_method") != "S256", len(asked.Get("code_challenge")) != 43:
		back.Set("error", "invalid_request")
	case asked.Get("scope") == "", slices.ContainsFunc(strings.Fields(asked.Get("scope")), unknown):
		back.Set("error", "invalid_scope")
	default:
		code := "sim-code-" + rand.Text()
		n.logins.codes[code] = consent{asked, time.Now().Add(codeLifetime)}
		back.Set("code", code)
	}
	target.RawQuery = back.Encode()
	return answer{status: http.StatusFound, header: map[string]string{"Location": target.String()}}
}

// token exchanges an authorization code or a refresh token for tokens.
func (n *Network) token(c *call) answer {
	form, ok := n.form(c)
	if !ok {
		return denied(http.StatusUnauthorized, "invalid_client")
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		return n.redeem(form)
	case "refresh_token":
		return n.rotate(form.Get("refresh_token"))
	}
	return denied(http.StatusBadRequest, "unsupported_grant_type")
}

// form returns the body of a request. known reports whether the client's credentials are
// right.
func (n *Network) form(c *call) (form url.Values, known bool) {
	r := c.request
	if err := r.ParseForm(); err != nil {
		return nil, false
	}
	id, secret := r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if user, password, ok := r.BasicAuth(); ok {
		id, _ = url.QueryUnescape(user) // RFC 6749 section 2.3.1; a malformed name is an unknown client
		secret, _ = url.QueryUnescape(password)
	}
	return r.PostForm, id == ClientID && secret == n.config.ClientSecret
}

// redeem exchanges an authorization code for tokens. A code is valid once, and only with
// the parameters of its authorization request.
func (n *Network) redeem(form url.Values) answer {
	given, ok := n.logins.codes[form.Get("code")]
	delete(n.logins.codes, form.Get("code"))
	challenge := sha256.Sum256([]byte(form.Get("code_verifier")))
	if !ok || !time.Now().Before(given.expires) || given.asked.Get("redirect_uri") != form.Get("redirect_uri") ||
		given.asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) {
		return denied(http.StatusBadRequest, "invalid_grant")
	}
	in := &login{account: n.logins.first, scopes: strings.Fields(given.asked.Get("scope"))}
	return n.granted(in)
}

// rotate exchanges a refresh token for new tokens. A token that is used twice was probably
// stolen, so the login is ended.
func (n *Network) rotate(token string) answer {
	if thief := n.logins.replaced[token]; thief != nil {
		n.logins.end(thief)
	}
	in := n.logins.refresh[token]
	if in == nil {
		return denied(http.StatusBadRequest, "invalid_grant")
	}
	delete(n.logins.refresh, token)
	n.logins.replaced[token] = in
	return n.granted(in)
}

// granted returns new tokens. The microblogging network issues a refresh token only with
// the scope offline.access.
func (n *Network) granted(in *login) answer {
	n.logins.renew(in, n.config.TokenLifetime, n.name == "pronet" || slices.Contains(in.scopes, "offline.access"))
	body := map[string]any{
		"token_type": "bearer", "access_token": in.access, "expires_in": int(n.config.TokenLifetime.Seconds()),
		"scope": strings.Join(in.scopes, " "),
	}
	if in.refresh != "" {
		body["refresh_token"] = in.refresh
	}
	return answer{status: http.StatusOK, body: body, header: map[string]string{"Cache-Control": "no-store"}}
}

// revoke ends the login of a token. An invalid token is no error (RFC 7009).
func (n *Network) revoke(c *call) answer {
	form, ok := n.form(c)
	if !ok {
		return denied(http.StatusUnauthorized, "invalid_client")
	}
	for _, tokens := range []map[string]*login{n.logins.access, n.logins.refresh} {
		if in := tokens[form.Get("token")]; in != nil {
			n.logins.end(in)
		}
	}
	return answer{status: http.StatusOK}
}

func denied(status int, code string) answer {
	return answer{status: status, body: map[string]string{"error": code}}
}

// Login creates a session for the first account, with the given scopes or with all, and
// returns its tokens.
func (n *Network) Login(scopes ...string) (access, refresh string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(scopes) == 0 {
		scopes = n.logins.scopes
	}
	in := &login{account: n.logins.first, scopes: scopes}
	n.logins.renew(in, n.config.TokenLifetime, true)
	return in.access, in.refresh
}
