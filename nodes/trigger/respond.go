package trigger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	disks "github.com/svcflow/svc/nodes/folder"
)

type respondIn struct {
	Status  int            `port:"status" default:"200" doc:"The HTTP status, 200 to 599."`
	Headers map[string]any `port:"headers,optional" widget:"json" doc:"More headers by name; each a text, number or bool, or a list of them, such as several of Set-Cookie."`
	Body    any            `port:"body,optional" widget:"json" doc:"A text as it is; a media value as its file; anything else as JSON; nothing without it."`
	Type    string         `port:"type,optional" doc:"The Content-Type of the body, such as text/html; by default that of the file, text, or JSON."`
}

type respondOut struct {
	Answered bool `port:"answered" doc:"Whether a caller waited for it."`
	Answer   any  `port:"answer" doc:"The answer as a record with status, headers, type and body, without a body over 64 KiB. A caller that repeats its delivery gets it again."`
}

// mostFile is how many bytes a file may have that is an answer.
const mostFile = 64 << 20

func respondNode(files Files) node.Node {
	if files == nil {
		files = disks.None{}
	}
	r := responder{disks.Disk{Files: files}}
	return node.FuncFor("trigger.respond", "Answer caller", r.bind).
		Aliases("respond, reply, answer, return, http response, download, cookie", "antworten, antwort, rückgabe, herunterladen").
		Example(map[string]any{"body": map[string]any{"ok": true}}).Doc(
		"Answers the caller of a webhook whose `respond` is `node`, and the run goes on. The first answer counts. In a run in which nobody waits " +
			"for an answer, because it was started in another way or the caller has gone, it does nothing and says so in its progress; `answered` is false.\n\n" +
			"A media value as `body` sends its file, up to 64 MiB. A delivery that was answered with 300 or more counts as refused: if it comes again, it runs again.\n\n" +
			"Example: with `status` = 201 and `body` = `{\"ok\": true}` the caller gets 201 and that as JSON.")
}

// responder answers callers.
type responder struct{ disk disks.Disk }

// bind checks the names of literal headers, so that a wrong one is found before a run.
func (r responder) bind(b node.Binding) (func(context.Context, respondIn) (respondOut, error), []node.Problem) {
	var problems []node.Problem
	literal, _ := b.Config["headers"].(map[string]any)
	for name := range literal {
		if err := mayBeSet(name); err != nil {
			problems = append(problems, node.Invalid("headers", "%v", err))
		}
	}
	return r.respond, problems
}

func (r responder) respond(ctx context.Context, in respondIn) (respondOut, error) {
	if in.Status < http.StatusOK || in.Status > 599 {
		return respondOut{}, node.Permanent(node.Errorf(node.CodeInvalidInput, "status is a number from 200 to 599"))
	}
	reply := node.Reply{Status: in.Status, Header: map[string][]string{}}
	for name, v := range in.Headers {
		texts, err := headerTexts(name, v)
		if err != nil {
			return respondOut{}, node.Permanent(err)
		}
		reply.Header[http.CanonicalHeaderKey(name)] = texts
	}
	mediaType, err := r.setBody(ctx, &reply, in.Body)
	if err != nil {
		return respondOut{}, err
	}
	reply.Type = cmp.Or(in.Type, mediaType)
	if in.Status == http.StatusNoContent || in.Status == http.StatusNotModified {
		reply.Body = nil
	}
	out := respondOut{Answer: reply.Record()}
	err = node.Respond(ctx, reply)
	if errors.Is(err, node.ErrNobodyWaits) {
		node.Progress(ctx, 0, 0, err.Error())
		return out, nil
	}
	out.Answered = err == nil
	return out, err
}

// setBody sets the body of a reply, and returns its type.
func (r responder) setBody(ctx context.Context, reply *node.Reply, body any) (mediaType string, err error) {
	if m, ok := mediaOf(body); ok {
		reply.Body, err = r.read(ctx, m)
		return cmp.Or(m.MIME, "application/octet-stream"), err
	}
	switch body := body.(type) {
	case nil:
		return "", nil
	case string:
		reply.Body = []byte(body)
		return "text/plain; charset=utf-8", nil
	}
	reply.Body = value.Append(nil, body)
	return "application/json", nil
}

// mediaOf returns body as media if it is that: media, or the record of an uploaded file.
func mediaOf(body any) (value.Media, bool) {
	if record, ok := body.(map[string]any); ok {
		_, hasKind := record["kind"].(string)
		_, hasMIME := record["mime"].(string)
		if !hasKind || !hasMIME {
			return value.Media{}, false
		}
	}
	v, err := value.Conform(body, value.MediaType())
	m, ok := v.(value.Media)
	return m, ok && err == nil
}

// read returns the file of media.
func (r responder) read(ctx context.Context, m value.Media) ([]byte, error) {
	if m.Path == "" {
		return nil, node.Permanent(node.Errorf(node.CodeInvalidInput, "body is media without a file; save it as a file first"))
	}
	disk := r.disk.In(ctx)
	name, err := disk.Clean(m.Path)
	if err != nil {
		return nil, node.Permanent(err)
	}
	data, err := disk.Read(ctx, name, mostFile)
	if err != nil {
		return nil, disk.Failed(name, err)
	}
	return data, nil
}

// headerTexts returns the values of a header as they are sent.
func headerTexts(name string, v any) ([]string, error) {
	if err := mayBeSet(name); err != nil {
		return nil, err
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	texts := make([]string, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case string:
			texts[i] = v
		case int:
			texts[i] = strconv.Itoa(v)
		case bool, float64:
			texts[i] = fmt.Sprint(v)
		default:
			return nil, node.Errorf(node.CodeInvalidInput, "the header %.100q is no text, number or bool, or list of them", name)
		}
		for _, c := range []byte(texts[i]) {
			if c < ' ' && c != '\t' || c == 0x7f {
				return nil, node.Errorf(node.CodeInvalidInput, "the header %.100q has a line break or another control character", name)
			}
		}
	}
	return texts, nil
}

// mayBeSet refuses headers that the service sets itself, such as those for the security
// policy of its pages.
func mayBeSet(name string) error {
	kept := []string{
		"Connection", "Content-Encoding", "Content-Length", "Content-Security-Policy", "Content-Type", "Clear-Site-Data", "Strict-Transport-Security",
		"Transfer-Encoding", "X-Content-Type-Options",
	}
	if slices.Contains(kept, http.CanonicalHeaderKey(name)) || !token(name) {
		return node.Errorf(node.CodeInvalidInput, "the header %.100q cannot be set here; the type of the body is in type", name)
	}
	return nil
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
