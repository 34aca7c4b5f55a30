package trigger_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/trigger"
)

// asks returns a field of each type.
func asks() []any {
	return []any{
		record{"name": "who", "label": "Your <name>", "required": true},
		record{"name": "mail", "type": "email", "required": true},
		record{"name": "age", "type": "number"},
		record{"name": "day", "type": "date"},
		record{"name": "tea", "type": "choice", "choices": []any{"green", "black"}, "default": "black"},
		record{"name": "terms", "label": "I agree", "type": "checkbox", "required": true},
		record{"name": "news", "type": "checkbox", "default": true},
		record{"name": "text", "type": "long"},
		record{"name": "cv", "type": "file"},
	}
}

const formPath = "contact/abcdefghijklmnopqrstuv"

func formConfig(more record) record {
	config := record{"path": formPath, "title": "Contact & more", "description": "Say <hello>.", "fields": asks()}
	maps.Copy(config, more)
	return config
}

func formHook(t *testing.T, more record) node.Hook {
	t.Helper()
	kept := &credentials.Memory{}
	require.NoError(t, kept.SetCredential(t.Context(), "webhook:forms", bare("ada:s3cret")))
	source, err := nodetest.New(t, trigger.Plugin(trigger.Config{Credentials: kept})).Source("trigger.form", formConfig(more))
	require.NoError(t, err)
	return source.(node.Hook)
}

// shownBy returns the page of a form, and its token.
func shownBy(t *testing.T, h node.Hook, at time.Time, headers ...string) (page, token string) {
	t.Helper()
	c := call(at, "", headers...)
	c.Method = http.MethodGet
	answer, err := h.Accept(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, answer.Firing)
	page = string(answer.Reply.Body)
	found := regexp.MustCompile(`name="\$token" value="([^"]+)"`).FindStringSubmatch(page)
	require.Len(t, found, 2)
	return page, found[1]
}

func answers(token string, more url.Values) url.Values {
	given := url.Values{"$token": {token}, "who": {" Ada\r\nLovelace "}, "mail": {"ada@example.com"}, "terms": {"yes"}}
	maps.Copy(given, more)
	return given
}

func sends(at time.Time, given url.Values, headers ...string) *node.HookCall {
	return call(at, given.Encode(), append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

func TestAForm(t *testing.T) {
	h := formHook(t, nil)
	now := time.Date(2026, 1, 31, 7, 0, 5, 250e6, time.UTC)
	page, token := shownBy(t, h, now)
	require.Contains(t, page, "Contact &amp; more")
	require.Contains(t, page, "Say &lt;hello&gt;.")
	require.Contains(t, page, "Your &lt;name&gt;")
	require.Contains(t, page, "<option selected>black</option>")
	require.NotContains(t, page, "<script")
	_, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)

	answer, err := h.Accept(t.Context(), sends(now, answers(token, url.Values{"age": {"36.5"}, "day": {"1815-12-10"}, "tea": {"green"}, "text": {"one\r\ntwo"}, "other": {"x"}})))
	require.NoError(t, err)
	require.Equal(t, record{
		"who": "Ada Lovelace", "mail": "ada@example.com", "age": 36.5, "day": "1815-12-10", "tea": "green", "terms": true, "news": false, "text": "one\ntwo", "cv": nil,
		"submittedAt": "2026-01-31T07:00:05.250Z",
	}, answer.Firing.Outputs)
	require.Equal(t, node.AwaitAccepted, answer.Awaits)

	// The output of an empty field is the empty value of its type.
	answer, err = h.Accept(t.Context(), sends(now, answers(token, nil)))
	require.NoError(t, err)
	for name, want := range (record{"age": nil, "day": "", "tea": "", "text": ""}) {
		require.Equal(t, want, answer.Firing.Outputs[name], name)
	}
	thanks := h.Page.Ended(node.HookEnd{RunID: "r"})
	require.Contains(t, string(thanks.Body), "Thank you. Your answer has arrived.")
}

func TestAFormBringsFiles(t *testing.T) {
	h := formHook(t, nil)
	_, token := shownBy(t, h, time.Now())
	body := ""
	for name, texts := range answers(token, nil) {
		body += "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + texts[0] + "\r\n"
	}
	file := func(field, name, content string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + field + "\"; filename=\"" + name + "\"\r\nContent-Type: application/pdf\r\n\r\n" + content + "\r\n"
	}
	body += file("cv", "cv.pdf", "PDF") + file("cv", "second.pdf", "PDF") + file("unasked", "x.pdf", "PDF") + "--b--\r\n"
	answer, err := h.Accept(t.Context(), call(time.Now(), body, "Content-Type", "multipart/form-data; boundary=b"))
	require.NoError(t, err)
	require.Len(t, answer.Firing.Files, 1, "one for a field that asks for one")
	require.Equal(t, "cv.pdf", answer.Firing.Files[0].Name)
	answer.Firing.Files[0].Put(value.Media{Kind: "file", Path: "p"})
	require.Equal(t, record{"kind": "file", "mime": "", "path": "p", "field": "cv", "filename": "cv.pdf"}, answer.Firing.Outputs["cv"])
}

// After a mistake the form is shown again with the submitted texts; programs get the
// mistakes as JSON.
func TestAFormAsksAgain(t *testing.T) {
	h := formHook(t, nil)
	now := time.Now()
	page, token := shownBy(t, h, now)
	require.NotContains(t, page, "Error: ")
	for field, tt := range map[string]struct{ typed, want string }{
		"who":   {" ", "Fill this in."},
		"mail":  {"ada..l@example.com", "This is no email address; write it as ada@example.com."},
		"age":   {"NaN", "This is no number; write it as 12 or 12.5."},
		"day":   {"2026-02-30", "This is no date; write it as 2026-01-31."},
		"tea":   {"white", "Choose one of these."},
		"terms": {"", "Tick this box."},
		"text":  {strings.Repeat("ä", 100_001), "This may have 100000 characters."},
	} {
		c := sends(now, answers(token, url.Values{field: {tt.typed}}))
		_, err := h.Accept(t.Context(), c)
		var told *node.HookError
		require.ErrorAs(t, err, &told, field)
		require.Equal(t, http.StatusUnprocessableEntity, told.Status)
		require.Equal(t, field+": "+tt.want, told.Message)
		again := h.Page.Refused(t.Context(), c, told.Status, told.Message)
		require.Equal(t, http.StatusUnprocessableEntity, again.Status)
		text := string(again.Body)
		require.Contains(t, text, "<title>Error: ")
		require.Contains(t, text, `id="fault-`+field+`">`+tt.want)
		require.Contains(t, text, `<a href="#field-`+field+`">`)
		if field != "who" {
			require.Contains(t, text, `value="Ada Lovelace"`, "what was typed is there")
		}
	}
	refused := h.Page.Refused(t.Context(), sends(now, answers(token, url.Values{"tea": {"green"}})), http.StatusServiceUnavailable, "come again")
	require.Contains(t, string(refused.Body), "Come again.")
	require.Contains(t, string(refused.Body), "<option selected>green</option>")
}

func TestAFormIsFilledInByItsAddress(t *testing.T) {
	c := call(time.Now(), "")
	c.Method, c.Query = http.MethodGet, url.Values{"who": {`"><script>x`}, "terms": {"yes"}, "tea": {"green"}}
	answer, err := formHook(t, nil).Accept(t.Context(), c)
	require.NoError(t, err)
	page := string(answer.Reply.Body)
	require.Contains(t, page, `value="&#34;&gt;&lt;script&gt;x"`)
	require.Contains(t, page, `value="yes" checked`)
	require.Contains(t, page, "<option selected>green</option>")
}

// A page that is submitted twice starts one run. A submission without a token of the page
// starts none.
func TestTokensOfForms(t *testing.T) {
	h, now := formHook(t, nil), time.Now()
	_, token := shownBy(t, h, now)
	key := func(h node.Hook, at time.Time, given url.Values) string {
		answer, err := h.Accept(t.Context(), sends(at, given))
		require.NoError(t, err)
		return answer.Firing.Key
	}
	_, another := shownBy(t, h, now)
	once := key(h, now, answers(token, nil))
	require.Equal(t, once, key(formHook(t, nil), now.Add(23*time.Hour), answers(token, nil)), "also after a restart")
	require.NotEqual(t, once, key(h, now, answers(another, nil)))
	require.NotEqual(t, once, key(h, now, answers(token, url.Values{"text": {"changed"}})), "what is changed is another answer")
	for name, c := range map[string]*node.HookCall{
		"does not come from this page": sends(now, answers("", nil)),
		"come from this page":          sends(now, answers(token[:len(token)-2]+"AA", nil)),
		"more than a day":              sends(now.Add(25*time.Hour), answers(token, nil)),
	} {
		_, err := h.Accept(t.Context(), c)
		require.ErrorContains(t, err, name)
		again := h.Page.Refused(t.Context(), c, http.StatusForbidden, err.Error())
		require.Contains(t, string(again.Body), `value="Ada Lovelace"`)
	}
	_, err := formHook(t, record{"path": "other/abcdefghijklmnopqrstuv"}).Accept(t.Context(), sends(now, answers(token, nil)))
	require.ErrorContains(t, err, "does not come from this page")
}

func TestAFormTakesOnlySoMany(t *testing.T) {
	h, now := formHook(t, nil), time.Now()
	_, token := shownBy(t, h, now)
	for range 60 {
		_, err := h.Accept(t.Context(), sends(now, answers(token, nil)))
		require.NoError(t, err)
	}
	_, err := h.Accept(t.Context(), sends(now, answers(token, nil)))
	var told *node.HookError
	require.ErrorAs(t, err, &told)
	require.Equal(t, http.StatusTooManyRequests, told.Status)
	_, err = h.Accept(t.Context(), sends(now.Add(2*time.Second), answers(token, nil)))
	require.NoError(t, err)
}

// Without the password, callers see neither the form nor whether it exists.
func TestAFormWithAPassword(t *testing.T) {
	h := formHook(t, record{"path": "contact", "auth": "basic", "secret": "webhook:forms"})
	c := call(time.Now(), "")
	c.Method = http.MethodGet
	_, err := h.Accept(t.Context(), c)
	var told *node.HookError
	require.ErrorAs(t, err, &told)
	require.Equal(t, http.StatusUnauthorized, told.Status)
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		page := h.Page.Refused(t.Context(), c, status, told.Message)
		require.Equal(t, status, page.Status)
		require.NotContains(t, string(page.Body), "Contact")
		require.NotContains(t, string(page.Body), "token")
	}
	require.Contains(t, h.Page.Refused(t.Context(), c, http.StatusUnauthorized, "x").Header["Www-Authenticate"][0], "Basic realm=")
	const basic = "Basic YWRhOnMzY3JldA=="
	page, token := shownBy(t, h, time.Now(), "Authorization", basic)
	require.Contains(t, page, "Contact")
	_, err = h.Accept(t.Context(), sends(time.Now(), answers(token, nil), "Authorization", basic))
	require.NoError(t, err)
	_, err = h.Accept(t.Context(), sends(time.Now(), answers(token, nil)))
	require.ErrorContains(t, err, "Basic")
}

func TestWhatComesAfterAForm(t *testing.T) {
	text := func(h node.Hook, end node.HookEnd) (int, string) {
		r := h.Page.Ended(end)
		return r.Status, string(r.Body)
	}
	h := formHook(t, record{"respond": "result"})
	status, page := text(h, node.HookEnd{RunID: "r1", Outputs: record{"said": "<b>", "more": record{"n": 1}}})
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, page, "<dt>said</dt>\n<dd>&lt;b&gt;</dd>")
	require.Contains(t, page, "&#34;n&#34;: 1")
	status, page = text(h, node.HookEnd{RunID: "r1", Failed: true})
	require.Equal(t, http.StatusInternalServerError, status)
	require.Contains(t, page, "Its number is r1.")
	status, page = text(h, node.HookEnd{RunID: "r1", Late: true})
	require.Equal(t, http.StatusAccepted, status)
	require.Contains(t, page, "takes longer")

	h = formHook(t, record{"respond": "redirect", "redirectTo": "https://shop.example/thanks?a=1"})
	r := h.Page.Ended(node.HookEnd{})
	require.Equal(t, http.StatusSeeOther, r.Status)
	require.Equal(t, "https://shop.example/thanks?a=1", r.Header["Location"][0])
	c := call(time.Now(), "")
	c.Method = http.MethodGet
	answer, err := h.Accept(t.Context(), c)
	require.NoError(t, err)
	require.Contains(t, answer.Reply.Header["Content-Security-Policy"][0], "form-action 'self' https://shop.example;", "or browsers stop there")
}

func TestTryingAForm(t *testing.T) {
	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	now := time.Date(2026, 1, 31, 7, 0, 5, 250e6, time.UTC)
	out, err := h.Fire("trigger.form", formConfig(record{"sample": record{"who": "Ada", "age": 36}}), now)
	require.NoError(t, err)
	require.Equal(t, record{"who": "Ada", "age": 36.0, "tea": "black", "news": true, "submittedAt": "2026-01-31T07:00:05.250Z"}, out)
	out, err = h.Fire("trigger.webhook", record{"path": "orders", "secret": "webhook:main", "sample": record{"body": record{"total": 9}}}, now)
	require.NoError(t, err)
	require.Equal(t, record{"method": "POST", "body": record{"total": 9}}, out)
	for typ, config := range map[string]record{"trigger.form": formConfig(nil), "trigger.webhook": {"path": "orders", "secret": "webhook:main"}} {
		config["sample"] = record{"nothing": 1}
		_, err = h.Fire(typ, config, now)
		require.ErrorContains(t, err, `there is no output "nothing"`)
	}
}

func TestWhatAFormRefuses(t *testing.T) {
	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	one := func(field record) record { return record{"fields": []any{field}} }
	for _, tt := range []struct {
		config        record
		port, message string
	}{
		{record{"path": "contact"}, "path", "without auth the path needs a segment of at least 22 random characters, since whoever knows it may call"},
		{record{"path": formPath + "/{id}"}, "path", "a form has one address, without braces"},
		{record{"title": " "}, "title", "say what the form is called, in up to 200 bytes"},
		{record{"auth": "basic"}, "secret", "auth = basic needs a secret"},
		{record{"respond": "redirect"}, "redirectTo", `"" is no address of a page; write it as https://shop.example/thanks`},
		{record{"respond": "redirect", "redirectTo": "javascript:alert(1)"}, "redirectTo", `"javascript:alert(1)" is no address of a page; write it as https://shop.example/thanks`},
		{record{"maxBytes": 0}, "maxBytes", "it is a number from 1 to 67108864"},
		{record{"answerWithinMs": 0}, "answerWithinMs", "it is a number from 1 to 600000"},
		{record{"fields": []any{}}, "fields", `a form has 1 to 100 fields, such as {"name": "mail", "type": "email", "required": true}`},
		{one(record{"name": "your mail"}), "fields", `field 1: the name "your mail" is no name of an output; it has up to 64 letters, digits and _, and begins with no digit`},
		{one(record{"name": "submittedAt"}), "fields", `field 1: there is an output "submittedAt" already`},
		{one(record{"name": "a", "type": "colour"}), "fields", `field 1: its type "colour" is none of text, long, number, email, date, choice, checkbox, file`},
		{one(record{"name": "a", "type": "choice"}), "fields", "field 1: choices are 1 to 200 texts"},
		{one(record{"name": "a", "choices": []any{"x"}}), "fields", "field 1: choices belong to the type choice only"},
		{one(record{"name": "a", "required": "yes"}), "fields", "field 1: required cannot be of the type string"},
		{one(record{"name": "a", "kind": "yes"}), "fields", `field 1: "kind" is none of name, label, type, required, choices and default`},
		{one(record{"name": "a", "type": "number", "default": "x"}), "fields", "field 1: the default does not fit: This is no number; write it as 12 or 12.5."},
		{one(record{"name": "a", "type": "file", "default": "x"}), "fields", "field 1: a file has no default"},
	} {
		problems := h.Problems("trigger.form", formConfig(tt.config))
		require.Len(t, problems, 1, "%v", tt.config)
		require.Equal(t, tt.port, problems[0].Port)
		require.Equal(t, tt.message, problems[0].Message)
	}
}

// FuzzForm submits anything: the form fires with values that fit its outputs, or reports
// mistakes.
func FuzzForm(f *testing.F) {
	f.Add("who=a&mail=a@b.c&terms=1", "application/x-www-form-urlencoded")
	f.Add("--b\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"x\"\r\n\r\nx\r\n--b--\r\n", "multipart/form-data; boundary=b")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		h := formHook(t, nil)
		c := call(time.Now(), body, "Content-Type", contentType)
		_, err := h.Accept(t.Context(), c)
		var told *node.HookError
		require.ErrorAs(t, err, &told, "it has no token")
		again := h.Page.Refused(t.Context(), c, told.Status, told.Message)
		require.Contains(t, string(again.Body), "</html>")
	})
}
