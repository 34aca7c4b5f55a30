package service

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// Codes for the answers of networks, in addition to those of the engine.
const (
	CodeNotFound       = "not_found"       // the thing does not exist, or was deleted
	CodeConflict       = "conflict"        // it is done already
	CodeQuotaExceeded  = "quota_exceeded"  // the paid quota is used up
	CodeBadAnswer      = "bad_answer"      // the answer breaks the API's description
	CodeOutcomeUnknown = "outcome_unknown" // it may have happened or not
)

// credentialError marks failures to get a token. They fail even the nodes that
// report other failures as outputs.
type credentialError struct{ error }

// Unwrap returns the failure itself.
func (e credentialError) Unwrap() error { return e.error }

// problem is the body of an error answer. It has the fields of all shapes
// that the networks use: problem details (RFC 9457), lists of errors, and plain
// messages.
type problem struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Detail  string `json:"detail"`
	Message string `json:"message"`
	Errors  []struct {
		Type    string `json:"type"`
		Title   string `json:"title"`
		Detail  string `json:"detail"`
		Message string `json:"message"`
	} `json:"errors"`
}

// text returns the problem's descriptions of itself.
func (p *problem) text() string {
	texts := []string{p.Detail, p.Message}
	for _, e := range p.Errors {
		texts = append(texts, e.Detail, e.Message, e.Title)
	}
	texts = append(texts, p.Title)
	if i := slices.IndexFunc(texts, func(s string) bool { return s != "" }); i >= 0 {
		return texts[i]
	}
	return ""
}

// is reports whether one of the problem's types ends with kind.
func (p *problem) is(kind string) bool {
	if strings.HasSuffix(p.Type, kind) {
		return true
	}
	for _, e := range p.Errors {
		if strings.HasSuffix(e.Type, kind) {
			return true
		}
	}
	return false
}

// refused makes a failure of m from an answer with an error status.
func (a *API) refused(m *message, c credentials.Credential, answer *answer) error {
	var p problem
	_ = json.Unmarshal(answer.body, &p) // a body that is not JSON is ignored
	return a.failure(m, c, answer, &p, answer.status)
}

// failure words a problem. The network's own words come last, on one line, without
// the token.
func (a *API) failure(m *message, c credentials.Credential, answer *answer, p *problem, status int) error {
	code, sentence := a.diagnose(m, c, answer, p, status)
	if m.once && code == node.CodeUnavailable {
		return a.outcomeUnknown(m, fmt.Sprintf("the network answered %d %s", status, http.StatusText(status)))
	}
	err := a.fail(code, m.call.Name, sentence)
	err.Permanent = code != node.CodeRateLimited && code != node.CodeUnavailable
	if said := quote(p.text(), c); said != "" {
		err.Message += fmt.Sprintf(" (%d: %s)", status, said)
	} else {
		err.Message += fmt.Sprintf(" (%d)", status)
	}
	return err
}

// diagnose returns the error code for an answer, and a sentence that says what to do.
func (a *API) diagnose(m *message, c credentials.Credential, answer *answer, p *problem, status int) (code, sentence string) {
	said := strings.ToLower(p.text())
	switch {
	case status == http.StatusPaymentRequired, p.is("/usage-capped"), p.is("/credits"):
		return CodeQuotaExceeded, "the account's plan at the network is used up; it needs more credits or another plan"
	case status == http.StatusConflict, status < 500 && (strings.Contains(said, "duplicate") || strings.Contains(said, "already")):
		return CodeConflict, "the network says that this was done already"
	case status == http.StatusTooManyRequests:
		return node.CodeRateLimited, "the network wants fewer requests" + untilWhen(answer)
	case status == http.StatusUnauthorized:
		return node.CodeReauthorize, "the network refuses the token of " + string(m.call.Ref) + "; connect the account again"
	case status == http.StatusForbidden:
		return node.CodeForbidden, a.forbidden(m, c)
	case status == http.StatusNotFound, status == http.StatusGone, p.is("/resource-not-found"):
		return CodeNotFound, missing(m)
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity, status == http.StatusRequestEntityTooLarge:
		return node.CodeInvalidInput, "the network does not take what was sent"
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return node.CodeUnavailable, "the network has a problem of its own; try again later"
	case status >= 300 && status < 400:
		return CodeBadAnswer, "the network redirects to another address; correct " + a.entry.Variable("API_URL")
	}
	return node.CodeFailed, "the network refuses the request"
}

func missing(m *message) string {
	if m.call.Missing != "" {
		return m.call.Missing
	}
	return "the network knows no such thing at this address"
}

// forbidden returns a message that names the scope that may be missing, unless the token is
// known to have it.
func (a *API) forbidden(m *message, c credentials.Credential) string {
	variable := a.entry.Variable("SCOPES")
	switch {
	case m.scope == "" || slices.Contains(c.Scopes, m.scope):
		return "the account may not do this"
	case len(c.Scopes) > 0:
		return fmt.Sprintf("the token lacks the scope %s; add it to %s and connect the account again", m.scope, variable)
	}
	return fmt.Sprintf("the account may not do this; if its token lacks the scope %s, add that to %s and connect the account again", m.scope, variable)
}

// outcomeUnknown is the failure of a call that may have happened. Neither this package
// nor a node's retry setting repeats it.
func (a *API) outcomeUnknown(m *message, why string) error {
	return a.fail(CodeOutcomeUnknown, m.call.Name,
		"outcome unknown: "+why+"; it may have been done all the same, so it was not sent again; look at the account before you run this anew")
}

// maxQuote is how many characters of a network's answer a message quotes.
const maxQuote = 300

// quote shortens a text from an answer for a message, and removes the token.
func quote(text string, c credentials.Credential) string {
	if !c.Access.IsZero() {
		text = strings.ReplaceAll(text, c.Access.Reveal(), c.Access.String())
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxQuote {
		return string(runes[:maxQuote]) + "…"
	}
	return string(runes)
}
