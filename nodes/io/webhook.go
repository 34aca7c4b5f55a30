package ionode

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// signatureHeader carries the signature of a webhook's body.
const signatureHeader = "X-Svc-Signature"

type webhookIn struct {
	URL          string           `port:"url" doc:"Where to."`
	Payload      any              `port:"payload" widget:"json" doc:"What to send, as JSON."`
	Headers      map[string]any   `port:"headers,optional" widget:"json" doc:"More headers by name; each a text, number or bool, or a list of them."`
	Secret       value.Credential `port:"secret,optional" network:"webhook" doc:"Signs the body, for example webhook:shop."`
	FailOnStatus bool             `port:"failOnStatus" default:"false" doc:"Fail when the status is 400 or more, so that the node's retry setting and $error take care of it."`
}

type webhookOut struct {
	OK         bool   `port:"ok" doc:"Whether the status is 200 to 299."`
	StatusCode int    `port:"statusCode" doc:"HTTP status, such as 200."`
	Body       string `port:"body" doc:"The answer as text."`
}

// webhook carries io.webhook_post.
type webhook struct {
	*exchange

	secrets service.Resolver
}

func (w *webhook) node() node.Node {
	return node.Func("io.webhook_post", "Post webhook", w.post).
		Once().
		Aliases("callback, notify, send json, hook", "rückruf, benachrichtigen, json senden").
		Example(map[string]any{"url": "https://example.com"}).Doc(
		"Posts a value as JSON. With a `secret` the header `X-Svc-Signature` holds `sha256=` and the HMAC-SHA256 of the body in " +
			"hex, so that the receiver can check who sent it. Redirects are not followed: a signed body goes to the address it " +
			"was meant for. An answer with an error status is no failure: `ok` is false.\n\n" +
			"With `failOnStatus` an error status is a failure: " + statusHelp +
			"Example: `url` = `https://example.com/hooks/orders`, `payload` = `{\"id\":7}`, `secret` = `webhook:shop`.")
}

func (w *webhook) post(ctx context.Context, in webhookIn) (webhookOut, error) {
	m, err := newMessage(http.MethodPost, in.URL, in.Headers)
	if err != nil {
		return webhookOut{}, err
	}
	m.body = value.Append(nil, in.Payload)
	m.header.Set("Content-Type", "application/json")
	if in.Secret != "" {
		c, err := w.secrets.Resolve(ctx, in.Secret)
		if err != nil {
			return webhookOut{}, err
		}
		m.header.Set(signatureHeader, sign(m.body, c.Access.Reveal()))
	}
	a, err := w.send(ctx, m, false, defaultMaxBytes)
	if err == nil && in.FailOnStatus {
		err = a.failure(m)
	}
	if err != nil {
		return webhookOut{}, err
	}
	return webhookOut{OK: a.ok(), StatusCode: a.status, Body: a.text("utf8")}, nil
}

func sign(body []byte, key string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
