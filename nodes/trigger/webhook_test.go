package trigger_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/trigger"
)

// hook returns the hook of a webhook with a config and a secret.
func hook(t *testing.T, secret credentials.Credential, config record) node.Hook {
	t.Helper()
	kept := &credentials.Memory{}
	require.NoError(t, kept.SetCredential(t.Context(), "webhook:main", secret))
	full := record{"path": "orders", "secret": "webhook:main"}
	maps.Copy(full, config)
	if full["auth"] == "none" {
		delete(full, "secret")
	}
	source, err := nodetest.New(t, trigger.Plugin(trigger.Config{Credentials: kept})).Source("trigger.webhook", full)
	require.NoError(t, err)
	return source.(node.Hook)
}

func bare(secret string) credentials.Credential {
	return credentials.Credential{Access: credentials.NewSecret(secret)}
}

// call returns a call; headers has alternating names and values.
func call(at time.Time, body string, headers ...string) *node.HookCall {
	c := &node.HookCall{Method: "POST", Body: []byte(body), Header: map[string][]string{}, Now: at, Remote: "203.0.113.7"}
	for i := 0; i < len(headers); i += 2 {
		c.Header[http.CanonicalHeaderKey(headers[i])] = []string{headers[i+1]}
	}
	return c
}

// The examples that the providers have published. Stripe has published none, so its
// signature is computed by the documented formula.
func TestSignatures(t *testing.T) {
	const slackBody = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA" +
		"&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
		"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	const stripeBody = `{"id":"evt_1","type":"charge.succeeded"}`
	mac := hmac.New(sha256.New, []byte("whsec_test"))
	mac.Write([]byte("1492774577." + stripeBody))
	stripe := hex.EncodeToString(mac.Sum(nil))
	for _, tt := range []struct {
		auth, secret, body string
		at                 int64
		headers            []string
		key                string
	}{
		{
			"standard", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"test": 2432232314}`, 1614265330,
			[]string{"Webhook-Signature", "v1,bm90IHRoaXMgb25l v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "Webhook-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp", "1614265330"},
			"delivery msg_p5jXN8AQM9LWM0D4loKWxJek",
		},
		{
			"github", "It's a Secret to Everybody", "Hello, World!", 0,
			[]string{"X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17", "X-GitHub-Delivery", "72d3162e-cc78-11e3-81ab-4c9367dc0958"},
			"delivery 72d3162e-cc78-11e3-81ab-4c9367dc0958",
		},
		{
			"slack", "8f742231b10e8888abcd99yyyzzz85a5", slackBody, 1531420618,
			[]string{"X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", "X-Slack-Request-Timestamp", "1531420618", "Content-Type", "application/x-www-form-urlencoded"},
			"",
		},
		{"stripe", "whsec_test", stripeBody, 1492774577, []string{"Stripe-Signature", "t=1492774577,v1=00ff,v1=" + stripe + ",v0=11"}, "delivery evt_1"},
		{"hmac", "It's a Secret to Everybody", "Hello, World!", 0, []string{"X-Svc-Signature", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}, ""},
	} {
		t.Run(tt.auth, func(t *testing.T) {
			h := hook(t, bare(tt.secret), record{"auth": tt.auth})
			at := time.Unix(tt.at, 0)
			refused := func(h node.Hook, c *node.HookCall, message string) {
				t.Helper()
				_, err := h.Accept(t.Context(), c)
				var told *node.HookError
				require.ErrorAs(t, err, &told)
				require.Equal(t, http.StatusUnauthorized, told.Status)
				require.Contains(t, told.Message, message)
				require.NotContains(t, told.Message, tt.secret)
			}
			answer, err := h.Accept(t.Context(), call(at, tt.body, tt.headers...))
			require.NoError(t, err)
			require.Equal(t, tt.key, answer.Firing.Key)
			require.Equal(t, tt.body, answer.Firing.Outputs["raw"])
			require.NotContains(t, answer.Firing.Outputs["headers"], strings.ToLower(tt.headers[0]), "a signature is not put out")
			refused(h, call(at, tt.body+" ", tt.headers...), "the signature does not fit")
			refused(h, call(at, tt.body), "this hook needs the header")
			refused(hook(t, bare("another"), record{"auth": tt.auth}), call(at, tt.body, tt.headers...), "the signature does not fit")
			if tt.at != 0 {
				_, err = h.Accept(t.Context(), call(at.Add(299*time.Second), tt.body, tt.headers...))
				require.NoError(t, err)
				refused(h, call(at.Add(301*time.Second), tt.body, tt.headers...), "more than five minutes away")
				refused(h, call(at.Add(-301*time.Second), tt.body, tt.headers...), "more than five minutes away")
			}
		})
	}
}

func TestSecretsInHeaders(t *testing.T) {
	named := bare("s3cret-s3cret")
	named.Kind, named.Name = credentials.KindHeader, "x-shop-token"
	user := bare("s3cret")
	user.Kind, user.User = credentials.KindBasic, "shop"
	for _, tt := range []struct {
		auth         string
		secret       credentials.Credential
		name, value  string
		wrong, shown string
	}{
		{"header", bare("s3cret"), "Authorization", "Bearer s3cret", "Bearer S3cret", "Authorization"},
		{"header", named, "X-Shop-Token", "s3cret-s3cret", "s3cret", "X-Shop-Token"},
		{"basic", user, "Authorization", "Basic c2hvcDpzM2NyZXQ=", "Basic c2hvcDpTM2NyZXQ=", "Basic"},
		{"basic", bare("shop:s3cret"), "Authorization", "basic c2hvcDpzM2NyZXQ=", "Basic shop:s3cret", "Basic"},
	} {
		h := hook(t, tt.secret, record{"auth": tt.auth})
		answer, err := h.Accept(t.Context(), call(time.Now(), `{"a":[1]}`, tt.name, tt.value, "Content-Type", "application/json", "Cookie", "a=b", "X-Other", "1"))
		require.NoError(t, err)
		require.Equal(t, record{"content-type": "application/json", "x-other": "1"}, answer.Firing.Outputs["headers"])
		require.Equal(t, record{"a": []any{1}}, answer.Firing.Outputs["body"])
		for _, headers := range [][]string{{tt.name, tt.wrong}, {}} {
			_, err = h.Accept(t.Context(), call(time.Now(), "", headers...))
			require.ErrorContains(t, err, tt.shown)
		}
	}
	_, err := hook(t, bare(""), record{}).Accept(t.Context(), call(time.Now(), ""))
	require.Equal(t, "unknown_credential", node.CodeOf(err))
}

func TestContentOfHooks(t *testing.T) {
	h := hook(t, bare("x"), record{"auth": "none", "path": "orders/abcdefghijklmnopqrstuv", "dedupeHeader": "x-id"})
	for _, tt := range []struct {
		contentType, body string
		want              any
		raw               string
	}{
		{"", "", nil, ""},
		{"application/json; charset=utf-8", `{"n":9007199254740993}`, record{"n": 9007199254740993}, `{"n":9007199254740993}`},
		{"application/vnd.x+json", `[1]`, []any{1}, "[1]"},
		{"application/x-www-form-urlencoded", "a=1&b=2&b=%33", record{"a": "1", "b": []any{"2", "3"}}, "a=1&b=2&b=%33"},
		{"text/plain", "grüße", "grüße", "grüße"},
		{"application/octet-stream", "\xff\x00", "/wA=", "/wA="},
	} {
		answer, err := h.Accept(t.Context(), call(time.Now(), tt.body, "Content-Type", tt.contentType, "X-Id", "7"))
		require.NoError(t, err)
		require.Equal(t, tt.want, answer.Firing.Outputs["body"])
		require.Equal(t, tt.raw, answer.Firing.Outputs["raw"])
		require.Equal(t, "delivery 7", answer.Firing.Key)
	}
	for contentType, want := range map[string]int{"application/json": http.StatusBadRequest, "a b c": http.StatusUnsupportedMediaType} {
		_, err := h.Accept(t.Context(), call(time.Now(), "{", "Content-Type", contentType))
		var told *node.HookError
		require.ErrorAs(t, err, &told)
		require.Equal(t, want, told.Status)
	}
}

func TestSlackAsksWhetherItIsTheRightAddress(t *testing.T) {
	const body = `{"type":"url_verification","challenge":"3eZbrw1aB1"}`
	now := time.Now()
	at := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, []byte("s"))
	mac.Write([]byte("v0:" + at + ":" + body))
	answer, err := hook(t, bare("s"), record{"auth": "slack"}).Accept(t.Context(), call(now, body,
		"X-Slack-Request-Timestamp", at, "X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)), "Content-Type", "application/json"))
	require.NoError(t, err)
	require.Nil(t, answer.Firing)
	require.Equal(t, "3eZbrw1aB1", string(answer.Reply.Body))
}

func TestWhatAWebhookRefuses(t *testing.T) {
	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	for _, tt := range []struct {
		config        record
		port, message string
	}{
		{record{"path": ""}, "path", "say at which path the hook is, such as orders or orders/{id}"},
		{record{"path": "../etc"}, "path", `a path has no segment ".."`},
		{record{"path": "/orders"}, "path", `"" is no segment of a path: those have letters, digits and . _ ~ - only, or are a name in braces; write the path without / at its ends`},
		{record{"path": "a/{id}/{id}"}, "path", "{id} is there twice"},
		{record{"path": strings.Repeat("a/", 8) + "a"}, "path", "a path has up to 200 characters and 8 segments"},
		{record{"auth": "none", "secret": ""}, "path", "without auth the path needs a segment of at least 22 random characters, since whoever knows it may call"},
		{record{"secret": ""}, "secret", "auth = header needs a secret"},
		{record{"methods": []any{"FETCH"}}, "methods", `"FETCH" is none of GET, HEAD, POST, PUT, PATCH and DELETE`},
		{record{"methods": []any{}}, "methods", "say which methods it takes; HEAD alone never fires"},
		{record{"maxBytes": 1 << 30}, "maxBytes", "it is a number from 0 to 67108864"},
		{record{"answerWithinMs": 0}, "answerWithinMs", "it is a number from 1 to 600000"},
	} {
		config := record{"path": "orders", "secret": "webhook:main"}
		maps.Copy(config, tt.config)
		if config["secret"] == "" {
			delete(config, "secret")
		}
		_, err := h.Source("trigger.webhook", config)
		require.ErrorContains(t, err, tt.message, "%v", tt.config)
		require.ErrorContains(t, err, tt.port)
	}
}

func TestAnsweringWithoutACaller(t *testing.T) {
	h := nodetest.New(t, trigger.Plugin(trigger.Config{}))
	out, err := h.Exec("trigger.respond", record{"body": "x"}, nil)
	require.NoError(t, err)
	require.Equal(t, record{"answered": false, "answer": record{"status": 200, "headers": record{}, "type": "text/plain; charset=utf-8", "body": "x"}}, out)
	for name, v := range map[string]any{"content-security-policy": "x", "a b": "c", "X-A": "b\r\nc", "X-B": []any{nil}, "X-C": record{}} {
		_, err = h.Exec("trigger.respond", nil, record{"headers": record{name: v}})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), name)
	}
	_, err = h.Exec("trigger.respond", record{"headers": record{"Content-Length": 1}}, nil)
	require.ErrorContains(t, err, "Content-Length", "found before a run")
	_, err = h.Exec("trigger.respond", record{"status": 99}, nil)
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
}
