package ionode

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The headers of a webhook: one with a signature of the body only, and those of the
// Standard Webhooks specification.
const (
	signatureHeader = "X-Svc-Signature"
	deliveryHeader  = "Webhook-Id"
	timeHeader      = "Webhook-Timestamp"
	standardHeader  = "Webhook-Signature"
)

type webhookIn struct {
	URL               string           `port:"url" doc:"Where to."`
	Payload           any              `port:"payload" widget:"json" doc:"What to send, as JSON."`
	Headers           map[string]any   `port:"headers,optional" widget:"json" doc:"More headers by name; each a text, number or bool, or a list of them."`
	Credential        value.Credential `port:"credential,optional" doc:"Who the request is from, for example http:shop. It is sent to its own hosts only."`
	Secret            value.Credential `port:"secret,optional" network:"webhook" doc:"Signs the body, for example webhook:shop."`
	FailOnStatus      bool             `port:"failOnStatus" default:"true" doc:"Fail when the status is 400 or more. Set it to false to branch on ok or statusCode."`
	RespectRetryAfter bool             `port:"respectRetryAfter" default:"true" doc:"Let the next attempt wait as long as an answer of 429 or 503 asks to, unless that is longer than the node's time: then there is none."`
}

type webhookOut struct {
	OK         bool   `port:"ok" doc:"Whether the status is 200 to 299."`
	StatusCode int    `port:"statusCode" doc:"HTTP status, such as 200."`
	Body       string `port:"body" doc:"The answer as text."`
	DeliveryID string `port:"deliveryId" doc:"What the header webhook-id said."`
}

// webhook has the node io.webhook_post as a method.
type webhook struct{ *exchange }

func (w webhook) node(networks []string) node.Node {
	n := node.FuncFor("io.webhook_post", "Post webhook", w.poster).
		Once().
		Aliases("callback, notify, send json, hook", "rückruf, benachrichtigen, json senden").
		Example(map[string]any{"url": "https://example.com"}).Doc(
		"Posts a value as JSON. The header `webhook-id` names the delivery and is the same for every attempt, so that the " +
			"receiver can tell a second attempt from a second delivery; `webhook-timestamp` is when it was sent, in Unix seconds.\n\n" +
			"With a `secret` the header `webhook-signature` proves both and the body, as Standard Webhooks has it: `v1,` and the " +
			"HMAC-SHA256 of id, time and body, with dots between, in base64. A secret that begins with `whsec_` is base64. " +
			"`X-Svc-Signature` holds `sha256=` and the HMAC-SHA256 of the body alone in hex. Redirects are not followed: a signed " +
			"body goes to the address it was meant for. \n\n" +
			"An error status fails the node with " + statusHelp + noFailureHelp +
			"Example: `url` = `https://example.com/hooks/orders`, `payload` = `{\"id\":7}`, `secret` = `webhook:shop`.")
	return withNetworks(hintAtOK(n), networks)
}

func (w webhook) poster(b node.Binding) (func(context.Context, webhookIn) (webhookOut, error), []node.Problem) {
	return w.post, checkCredential(b)
}

func (w webhook) post(ctx context.Context, in webhookIn) (webhookOut, error) {
	m, err := newMessage(http.MethodPost, in.URL, in.Headers)
	if err != nil {
		return webhookOut{}, err
	}
	m.body = value.Append(nil, in.Payload)
	m.header.Set("Content-Type", "application/json")
	id := deliveryID(ctx)
	if err := w.stamp(ctx, m, id, in.Secret); err != nil {
		return webhookOut{}, err
	}
	if err := w.authorize(ctx, m, in.Credential); err != nil {
		return webhookOut{}, err
	}
	a, err := w.send(ctx, m, false, defaultMaxBytes)
	if err == nil && in.FailOnStatus {
		err = a.failure(ctx, m, in.RespectRetryAfter)
	}
	if err != nil {
		return webhookOut{}, err
	}
	return webhookOut{OK: a.ok(), StatusCode: a.status, Body: a.decoded(), DeliveryID: id}, nil
}

// deliveryID identifies a delivery: it is the same for every attempt of a node, and does not
// reveal the run's id.
func deliveryID(ctx context.Context) string {
	key := node.Key(ctx)
	if key == "" {
		key = rand.Text()
	}
	sum := sha256.Sum256([]byte("webhook\n" + key))
	return "msg_" + base64.RawURLEncoding.EncodeToString(sum[:18])
}

// stamp sets the headers of a webhook, and signs it if there is a secret.
func (w webhook) stamp(ctx context.Context, m *message, id string, secret value.Credential) error {
	sent := strconv.FormatInt(time.Now().Unix(), 10)
	m.header.Set(deliveryHeader, id)
	m.header.Set(timeHeader, sent)
	if secret == "" {
		return nil
	}
	c, err := w.authorizer.Secrets.Resolve(ctx, secret)
	if err != nil {
		return err
	}
	key := c.Access.Reveal()
	m.header.Set(signatureHeader, "sha256="+hex.EncodeToString(mac(m.body, []byte(key))))
	standard, err := sign(key, id, sent, m.body)
	if err != nil {
		return err
	}
	m.header.Set(standardHeader, standard)
	return nil
}

// sign returns the signature of Standard Webhooks.
func sign(secret, id, sent string, body []byte) (string, error) {
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return "", permanent(node.CodeInvalidInput, "the secret begins with whsec_, and what follows is not base64")
		}
	}
	signed := append([]byte(id+"."+sent+"."), body...)
	return "v1," + base64.StdEncoding.EncodeToString(mac(signed, key)), nil
}

func mac(text, key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
