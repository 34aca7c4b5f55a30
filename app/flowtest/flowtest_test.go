package flowtest_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/flowtest"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

const whole = `{"workflow":"a.json","cases":[{"name":"one","inputs":{"n":1},"trigger":"hook","payload":{"body":"x"},
 "pins":{"a":{"outputs":{"v":[1,2.5]}},"loop/b":{"error":{"code":"odd","message":"no"}},"c":{}},
 "http":[{"request":{"method":"POST","url":"https://a.example/x","headers":{"A":"b"},"body":{"k":1}},
  "response":{"status":201,"headers":{"Link":"x"},"body":"text"},"times":2},
  {"request":{"url":"https://a.example/*"},"response":{"base64":"AAE="}}],
 "status":"failed","outputs":{"v":null}}]}`

func TestDecode(t *testing.T) {
	file, err := flowtest.Decode([]byte(whole))
	require.NoError(t, err)
	c := file.Cases[0]
	require.Equal(t, map[string]any{"n": 1}, c.Inputs)
	require.Equal(t, []any{1, 2.5}, c.Pins["a"].Outputs["v"])
	require.Equal(t, &engine.Failure{Code: "odd", Message: "no"}, c.Pins["loop/b"].Error)
	require.Equal(t, "hook", c.Trigger)
	require.Equal(t, map[string]any{"body": "x"}, c.Payload)
	require.Equal(t, "one 2", file.Unused("one"))
	require.Equal(t, 2, c.HTTP[0].Times)
	text, err := file.Encode()
	require.NoError(t, err)
	again, err := flowtest.Decode(text)
	require.NoError(t, err)
	require.Equal(t, file, again)
}

func TestDecodeRefuses(t *testing.T) {
	with := func(member string) string {
		return `{"workflow":"a.json","cases":[{"name":"one","outputs":{},` + member + `}]}`
	}
	for _, tt := range []struct{ text, says string }{
		{`{"workflow":"a.json"}`, `/": the field "cases" is missing`},
		{`{"workflow":"","cases":[]}`, "the workflow's file is empty"},
		{`{"workflow":"a","cases":[{"name":"x"}]}`, "outputs"},
		{with(`"trigger":""`), "the trigger is empty"},
		{with(`"payload":1`), "payload"},
		{with(`"status":"done"`), "completed, failed or cancelled"},
		{with(`"expect":1`), "/cases/0/expect"},
		{with(`"pins":{"a":{"output":{}}}`), "unknown field"},
		{with(`"pins":{"a":{"error":{"message":"x"}}}`), "code"},
		{with(`"http":[{"request":{"url":"x"}}]`), "response"},
		{with(`"http":[{"request":{"url":"x","headers":{"a":1}},"response":{}}]`), `the header "a" is no text`},
		{with(`"http":[{"request":{"url":"x"},"response":{"base64":"?"}}]`), "no base64"},
		{with(`"http":[{"request":{"url":"x"},"response":{"status":99}}]`), "99"},
		{with(`"http":[{"request":{"url":"x"},"response":{},"times":0}]`), "/http/0/times"},
	} {
		_, err := flowtest.Decode([]byte(tt.text))
		var syntax *value.SyntaxError
		require.ErrorAs(t, err, &syntax, tt.text)
		require.Contains(t, strings.ReplaceAll(err.Error(), `"": `, `/": `), tt.says, tt.text)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := flowtest.Decode(text)
		if err != nil {
			var syntax *value.SyntaxError
			require.ErrorAs(t, err, &syntax)
			return
		}
		written, err := file.Encode()
		require.NoError(t, err)
		again, err := flowtest.Decode(written)
		require.NoError(t, err, "%s", written)
		last, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, string(written), string(last))
		for _, c := range file.Cases {
			flowtest.NewReplay(c.HTTP)
		}
	})
}

// ask makes a request and returns the answer's body.
func ask(t *testing.T, with http.RoundTripper, method, url, body string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	resp, err := with.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text), nil
}

func TestReplay(t *testing.T) {
	exchange := func(method, url string, body, answer any) flowtest.Exchange {
		return flowtest.Exchange{Request: flowtest.Request{Method: method, URL: url, Body: body}, Response: flowtest.Response{Body: answer}}
	}
	r := flowtest.NewReplay([]flowtest.Exchange{
		exchange("", "https://a.example/x?b=2&a=1", nil, "first"),
		exchange("", "https://a.example/x?b=2&a=1", nil, map[string]any{"n": 2}),
		exchange("post", "https://a.example/*/y", map[string]any{"k": 1}, "json"),
		exchange("POST", "https://a.example/z.z", "k=1", "form"),
		exchange("PUT", "https://a.example/never", nil, nil),
	})
	for _, tt := range []struct{ method, url, body, answer string }{
		{"GET", "https://a.example/x?a=1&b=2", "", "first"},
		{"GET", "https://a.example/x?b=2&a=1", "", `{"n":2}`},
		{"POST", "https://a.example/any/y", ` {"k": 1} `, "json"},
		{"POST", "https://a.example/z.z", "k=1", "form"},
	} {
		body, err := ask(t, r, tt.method, tt.url, tt.body)
		require.NoError(t, err)
		require.Equal(t, tt.answer, body)
	}
	for _, tt := range []struct{ method, url, body, says string }{
		{"GET", "https://a.example/x?a=1&b=2", "", "was made more often than it is recorded"},
		{"GET", "https://a.example/x", "", `GET https://a.example/x is not recorded; add it to "http" of the case, or pin the node`},
		{"POST", "https://a.example/zzz", "k=1", `POST https://a.example/zzz with the body k=1 is not recorded`},
		{"POST", "https://a.example/any/y", `{"k":2}`, `with the body {"k":2} is not recorded`},
	} {
		_, err := ask(t, r, tt.method, tt.url, tt.body)
		require.ErrorContains(t, err, tt.says)
	}
	require.Equal(t, []string{"PUT https://a.example/never was to be made, and was not (1 times left)"}, r.Unused())
}

// answering answers every request in the same way.
type answering struct {
	kind, body string
	err        error
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {a.kind}, "Set-Cookie": {"s"}}, Body: io.NopCloser(strings.NewReader(a.body))}, a.err
}

// What was recorded answers the same requests in the same way.
func TestRecorder(t *testing.T) {
	for _, real := range []answering{
		{kind: "application/json", body: `{"n":1}`}, {kind: "text/plain", body: "text"}, {kind: "image/png", body: "\xff\x00"}, {kind: "application/json", body: "null"}, {kind: "application/json", body: `"t"`},
	} {
		r := &flowtest.Recorder{Transport: real}
		body, err := ask(t, r, "POST", "https://a.example/x?q=1", `k=1`)
		require.NoError(t, err)
		require.Equal(t, real.body, body)
		kept := r.Exchanges()
		require.NotContains(t, kept[0].Response.Headers, "Set-Cookie")
		replay := flowtest.NewReplay(kept)
		body, err = ask(t, replay, "POST", "https://a.example/x?q=1", `k=1`)
		require.NoError(t, err)
		require.Equal(t, real.body, body)
		require.Empty(t, replay.Unused())
	}
	r := &flowtest.Recorder{Transport: answering{err: errors.New("gone")}}
	_, err := ask(t, r, "GET", "https://a.example/", "")
	require.ErrorContains(t, err, "gone")
	require.Empty(t, r.Exchanges())
}
