package sim

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
)

// RoundTrip implements [http.RoundTripper]: requests reach the network without a
// connection, whatever their host. A testing/synctest bubble, in which
// connections do not count as waiting, tests time with it.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer func() { _ = in.Body.Close() }() // it is read
	wrote(r)
	out := httptest.NewRecorder()
	cut := n.answered(out, in)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if cut {
		return nil, io.ErrUnexpectedEOF
	}
	answer := out.Result()
	answer.Request = r
	return answer, nil
}

// answered reports whether the network cut the connection instead.
func (n *Network) answered(w http.ResponseWriter, r *http.Request) (cut bool) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler { //nolint:errorlint // it is that value, as in net/http
				panic(p)
			}
			cut = true
		}
	}()
	n.ServeHTTP(w, r)
	return false
}

// wrote tells a client that listens that its request is on its way.
func wrote(r *http.Request) {
	trace := httptrace.ContextClientTrace(r.Context())
	if trace == nil {
		return
	}
	if trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	if trace.WroteRequest != nil {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
}

// Settings returns the environment variables that lead Svc to the network at
// base, such as PRONET_API_URL, and that hold the tokens of its seed, such as
// PRONET_MAIN.
func (n *Network) Settings(base string) map[string]string {
	prefix := strings.ToUpper(n.name) + "_"
	settings := map[string]string{
		prefix + "API_URL": base, prefix + "CLIENT_ID": ClientID,
		prefix + "AUTH_URL": base + "/oauth/authorize", prefix + "TOKEN_URL": base + "/oauth/token", prefix + "REVOKE_URL": base + "/oauth/revoke",
	}
	if n.config.ClientSecret != "" {
		settings[prefix+"CLIENT_SECRET"] = n.config.ClientSecret
	}
	if n.config.Profile != "" {
		settings[prefix+"ROUTES"] = string(n.config.Profile)
	}
	if n.name == "pronet" && n.config.Profile == Live {
		settings["PRONET_API_URL"] += "/v2" // where its API is today
	}
	for _, a := range n.world.accounts {
		if a.Token == "" || a.Name == "" {
			continue
		}
		variable := prefix + strings.ToUpper(a.Name)
		settings[variable] = a.Token
		if len(a.Organizations) > 0 {
			settings[variable+"_URN"] = organizationURN + a.Organizations[0]
		}
	}
	return settings
}
