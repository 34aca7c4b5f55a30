package mediaai

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// maxAnswer is the largest response body that is read from an API, in bytes.
const maxAnswer = 64 << 20

// ask sends a POST request to the API and returns the response body and its media type.
func (a *ai) ask(ctx context.Context, w way, path, contentType string, body []byte) (answer []byte, typ string, err error) {
	base, err := url.Parse(w.address)
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" {
		return nil, "", missing("the address of the API has to begin with https:// or http://")
	}
	at := strings.TrimSuffix(base.Path, "/")
	if !strings.HasSuffix(at, "/v1") {
		at += "/v1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base.Scheme+"://"+base.Host+at+path, bytes.NewReader(body))
	if err != nil {
		return nil, "", missing("the address of the API cannot be used")
	}
	req.Header.Set("Content-Type", contentType)
	if w.key != "" {
		if err := a.unlock(ctx, req, w); err != nil {
			return nil, "", err
		}
	}
	resp, err := a.web.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		return nil, "", node.Errorf(node.CodeUnavailable, "%s cannot be reached", base.Host)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, "", node.Errorf(node.CodeUnavailable, "the answer of %s was cut off", base.Host)
	case resp.StatusCode != http.StatusOK:
		return nil, "", denied(base.Host, resp.StatusCode, answer)
	case len(answer) > maxAnswer:
		return nil, "", node.Permanent(node.Errorf(node.CodeLimitExceeded, "%s answers with more than %d MiB", base.Host, maxAnswer>>20))
	}
	typ, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" if the header is malformed
	return answer, typ, nil
}

// unlock resolves the key and adds it to a request as a bearer token.
func (a *ai) unlock(ctx context.Context, req *http.Request, w way) error {
	ref, err := credentials.ParseRef(string(w.key))
	if err != nil {
		return refused("the credential cannot be read")
	}
	c, err := a.secrets.Resolve(ctx, ref)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.Access.Reveal())
	return nil
}

// denied returns the error for a response whose status is not 200.
func denied(host string, status int, answer []byte) error {
	var told struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	why := ""
	if json.Unmarshal(answer, &told) == nil && told.Error.Message != "" {
		why = ": " + strings.ToValidUTF8(told.Error.Message[:min(500, len(told.Error.Message))], "")
	}
	switch {
	case status == http.StatusTooManyRequests || status >= 500:
		return node.Errorf(node.CodeUnavailable, "%s answered with status %d%s", host, status, why)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return node.Permanent(node.Errorf(node.CodeForbidden, "%s wants another key: choose a credential of the network mediaai%s", host, why))
	}
	return node.Permanent(node.Errorf(node.CodeFailed, "%s answered with status %d%s", host, status, why))
}

// post sends a request with a JSON body.
func (a *ai) post(ctx context.Context, w way, path string, body any) (answer []byte, typ string, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, "", err
	}
	return a.ask(ctx, w, path, "application/json", text)
}

// upload sends a multipart form with a file and fields.
func (a *ai) upload(ctx context.Context, w way, path, name string, file []byte, fields [][2]string) (answer []byte, typ string, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			return nil, "", err
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return nil, "", err
	}
	return a.ask(ctx, w, path, form.FormDataContentType(), body.Bytes())
}

// understand decodes a JSON response. who names its sender in the error.
func understand(answer []byte, who string, into any) error {
	if !utf8.Valid(answer) || json.Unmarshal(answer, into) != nil {
		return node.Errorf(node.CodeFailed, "%s has not answered in the form that was asked for", who)
	}
	return nil
}

// model returns the name of the API's model for a task: the operator's setting, else the
// default.
func (a *ai) model(t task) string {
	if m := a.set(t, "MODEL"); m != "" {
		return m
	}
	return t.model
}

// run runs the operator's program for a task. Callers pass values as --name=value, so that
// a value that begins with a dash is not read as an option.
func (a *ai) run(ctx context.Context, w way, files map[string][]byte, result string, args ...string) (printed, made []byte, err error) {
	program := a.Find(w.command)
	if program == "" {
		return nil, nil, missing("the command that is configured for this, %s, is not there", fmt.Sprintf("%.100q", w.command))
	}
	answer, err := a.Call(ctx, call(program, files, result, args))
	return answer.Printed, answer.Result, err
}
