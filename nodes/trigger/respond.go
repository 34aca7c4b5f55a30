package trigger

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type respondIn struct {
	Status  int            `port:"status" default:"200" doc:"The HTTP status, 200 to 599."`
	Headers map[string]any `port:"headers,optional" widget:"json" doc:"More headers by name; each a text, number or bool."`
	Body    any            `port:"body,optional" widget:"json" doc:"A text as it is; anything else as JSON; nothing without it."`
	Type    string         `port:"type,optional" doc:"The Content-Type of the body, such as text/html; by default text, or JSON."`
}

type respondOut struct {
	Answered bool `port:"answered" doc:"Whether a caller waited for it."`
}

func respondNode() node.Node {
	return node.FuncFor("trigger.respond", "Answer caller", func(node.Binding) (func(context.Context, respondIn) (respondOut, error), []node.Problem) {
		return respond, nil
	}).
		Aliases("respond, reply, answer, return, http response", "antworten, antwort, rückgabe").
		Example(map[string]any{"body": map[string]any{"ok": true}}).Doc(
		"Answers the caller of a webhook whose `respond` is `node`, and the run goes on. The first answer counts. In a run in which nobody waits " +
			"for an answer, because it was started in another way or the caller has gone, it does nothing and says so in its progress; `answered` is false.\n\n" +
			"Example: with `status` = 201 and `body` = `{\"ok\": true}` the caller gets 201 and that as JSON.")
}

func respond(ctx context.Context, in respondIn) (respondOut, error) {
	if in.Status < http.StatusOK || in.Status > 599 {
		return respondOut{}, node.Permanent(node.Errorf(node.CodeInvalidInput, "status is a number from 200 to 599"))
	}
	r := node.Reply{Status: in.Status, Type: in.Type, Header: map[string]string{}}
	for name, v := range in.Headers {
		text, err := headerText(name, v)
		if err != nil {
			return respondOut{}, node.Permanent(err)
		}
		r.Header[http.CanonicalHeaderKey(name)] = text
	}
	switch body := in.Body.(type) {
	case nil:
	case string:
		r.Body = []byte(body)
		if r.Type == "" {
			r.Type = "text/plain; charset=utf-8"
		}
	default:
		r.Body = value.Append(nil, body)
		if r.Type == "" {
			r.Type = "application/json"
		}
	}
	if in.Status == http.StatusNoContent || in.Status == http.StatusNotModified {
		r.Body = nil
	}
	err := node.Respond(ctx, r)
	if errors.Is(err, node.ErrNobodyWaits) {
		node.Progress(ctx, 0, 0, err.Error())
		return respondOut{}, nil
	}
	return respondOut{Answered: err == nil}, err
}

// headerText returns a header as it is sent. It refuses headers that the service sets itself:
// those for cookies and for the security policy of its pages.
func headerText(name string, v any) (string, error) {
	kept := []string{
		"Connection", "Content-Encoding", "Content-Length", "Content-Security-Policy", "Content-Type", "Clear-Site-Data", "Set-Cookie", "Strict-Transport-Security",
		"Transfer-Encoding", "X-Content-Type-Options",
	}
	if slices.Contains(kept, http.CanonicalHeaderKey(name)) || !token(name) {
		return "", node.Errorf(node.CodeInvalidInput, "the header %.100q cannot be set here; the type of the body is in type", name)
	}
	switch v := v.(type) {
	case string:
		for _, c := range []byte(v) {
			if c < ' ' && c != '\t' || c == 0x7f {
				return "", node.Errorf(node.CodeInvalidInput, "the header %.100q has a line break or another control character", name)
			}
		}
		return v, nil
	case int:
		return strconv.Itoa(v), nil
	case bool, float64:
		return fmt.Sprint(v), nil
	}
	return "", node.Errorf(node.CodeInvalidInput, "the header %.100q is no text, number or bool", name)
}

// token reports whether a text can be the name of a header (RFC 9110 section 5.6.2).
func token(name string) bool {
	const letters = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for _, c := range name {
		if !slices.Contains([]rune(letters), c) {
			return false
		}
	}
	return name != ""
}
