package sim

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
)

// RoundTrip implements [http.RoundTripper]: requests to any host reach the network without
// a connection. Tests in a testing/synctest bubble need this, because a goroutine that
// waits for a real connection keeps the bubble's time from advancing.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	defer func() { _ = in.Body.Close() }() // the handler has read it
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

// answered handles a request, and reports whether the network closed the connection without
// a response.
func (n *Network) answered(w http.ResponseWriter, r *http.Request) (cut bool) {
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler { //nolint:errorlint // package net/http compares it in the same way
				panic(p)
			}
			cut = true
		}
	}()
	n.ServeHTTP(w, r)
	return false
}

// wrote calls the hooks of the request's [httptrace.ClientTrace] for a sent request.
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

// Settings returns the environment variables that connect Svc to the network at base, such
// as PRONET_API_URL, and those with the tokens of the seed's accounts, such as PRONET_MAIN.
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
		settings["PRONET_API_URL"] += "/v2" // the live API has this path
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
