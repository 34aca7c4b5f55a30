package trigger

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// replayWindow is how far the time of a signature may differ from the current time.
const replayWindow = 5 * time.Minute

// scheme is an authentication scheme for the callers of a hook.
type scheme struct {
	word string
	// secrets are headers that are not part of the output, in addition to those that never
	// are. delivery is the header with the id of a delivery: a repeated id does not fire again.
	secrets  []string
	delivery string
	check    func(c *credentials.Credential, call *node.HookCall) error
}

// schemes returns all schemes, in the order of the choices.
func schemes() []scheme {
	return []scheme{
		{word: "none"},
		{word: "header", check: checkHeader},
		{word: "basic", check: checkBasic},
		{word: "hmac", secrets: []string{"X-Svc-Signature"}, check: checkHMAC},
		{word: "standard", secrets: []string{"Webhook-Signature"}, delivery: "Webhook-Id", check: checkStandard},
		{word: "github", secrets: []string{"X-Hub-Signature-256", "X-Hub-Signature"}, delivery: "X-Github-Delivery", check: checkGitHub},
		{word: "slack", secrets: []string{"X-Slack-Signature"}, check: checkSlack},
		{word: "stripe", secrets: []string{"Stripe-Signature"}, check: checkStripe},
	}
}

func schemeOf(word string) scheme {
	all := schemes()
	return all[slices.IndexFunc(all, func(s scheme) bool { return s.word == word })]
}

// refused is the error for a failed authentication. Its message does not help an attacker
// to guess.
func refused(format string) error {
	return &node.HookError{Status: http.StatusUnauthorized, Code: "unauthorized", Message: format}
}

var (
	errSignature = refused("the signature does not fit the body, or is made with another secret")
	errTime      = refused("the time of the signature is more than five minutes away; set the clock of the sender, and do not send old requests again")
)

func first(call *node.HookCall, header string) string {
	if all := call.Header[header]; len(all) > 0 {
		return all[0]
	}
	return ""
}

// equal compares two texts in constant time.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(x[:], y[:])
}

// sum returns the HMAC-SHA256 of the concatenated parts.
func sum(key []byte, parts ...string) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}

// fresh checks the time of a signature, in seconds since 1970.
func fresh(text string, now time.Time) error {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return refused("the request does not say when it was signed")
	}
	if away := now.Sub(time.Unix(seconds, 0)); away > replayWindow || away < -replayWindow {
		return errTime
	}
	return nil
}

// checkHeader compares a header with the secret: the header that the credential names, else
// Authorization with the secret as a bearer token.
func checkHeader(c *credentials.Credential, call *node.HookCall) error {
	name, want := "Authorization", "Bearer "+c.Access.Reveal()
	if c.Kind == credentials.KindHeader {
		name, want = http.CanonicalHeaderKey(c.Name), c.Access.Reveal()
	}
	if all := call.Header[name]; len(all) != 1 || !equal(all[0], want) {
		return refused("this hook needs the header " + name + " with its secret")
	}
	return nil
}

// checkBasic compares user and password. A credential of another kind than basic holds
// both, separated by a colon.
func checkBasic(c *credentials.Credential, call *node.HookCall) error {
	want := c.Access.Reveal()
	if c.Kind == credentials.KindBasic {
		want = c.User + ":" + want
	}
	word, sent, _ := strings.Cut(first(call, "Authorization"), " ")
	text, err := base64.StdEncoding.DecodeString(sent)
	if err != nil || !strings.EqualFold(word, "Basic") || !equal(string(text), want) {
		return refused("this hook needs a user and a password (Basic)")
	}
	return nil
}

// checkHMAC verifies the signature that io.webhook_post sends: sha256= and the HMAC-SHA256
// of the body in hex.
func checkHMAC(c *credentials.Credential, call *node.HookCall) error {
	return checkBody(c, call, "X-Svc-Signature")
}

// checkGitHub verifies the same signature in GitHub's header.
func checkGitHub(c *credentials.Credential, call *node.HookCall) error {
	return checkBody(c, call, "X-Hub-Signature-256")
}

func checkBody(c *credentials.Credential, call *node.HookCall, header string) error {
	sent, ok := strings.CutPrefix(first(call, header), "sha256=")
	if !ok {
		return refused("this hook needs the header " + header + " with a signature of the body")
	}
	if !equal(sent, hex.EncodeToString(sum([]byte(c.Access.Reveal()), string(call.Body)))) {
		return errSignature
	}
	return nil
}

// checkStandard verifies the signature of Standard Webhooks: an HMAC-SHA256 of id, time and
// body in base64. There may be several while a secret is rotated.
func checkStandard(c *credentials.Credential, call *node.HookCall) error {
	id, at, sent := first(call, "Webhook-Id"), first(call, "Webhook-Timestamp"), first(call, "Webhook-Signature")
	if id == "" || sent == "" {
		return refused("this hook needs the headers webhook-id, webhook-timestamp and webhook-signature")
	}
	if err := fresh(at, call.Now); err != nil {
		return err
	}
	key := []byte(c.Access.Reveal())
	if text, ok := strings.CutPrefix(string(key), "whsec_"); ok {
		var err error
		if key, err = base64.StdEncoding.DecodeString(text); err != nil {
			return errors.New("the secret of a hook begins with whsec_, and the rest is no base64")
		}
	}
	want := "v1," + base64.StdEncoding.EncodeToString(sum(key, id, ".", at, ".", string(call.Body)))
	return anyOf(strings.Fields(sent), want)
}

// checkSlack verifies Slack's signature: an HMAC-SHA256 of a version, the time and the
// body.
func checkSlack(c *credentials.Credential, call *node.HookCall) error {
	at, sent := first(call, "X-Slack-Request-Timestamp"), first(call, "X-Slack-Signature")
	if sent == "" {
		return refused("this hook needs the headers X-Slack-Request-Timestamp and X-Slack-Signature")
	}
	if err := fresh(at, call.Now); err != nil {
		return err
	}
	return anyOf([]string{sent}, "v0="+hex.EncodeToString(sum([]byte(c.Access.Reveal()), "v0:", at, ":", string(call.Body))))
}

// checkStripe verifies Stripe's signature: one header with the time and several signatures.
func checkStripe(c *credentials.Credential, call *node.HookCall) error {
	var at string
	var sent []string
	for part := range strings.SplitSeq(first(call, "Stripe-Signature"), ",") {
		switch name, text, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			at = text
		case "v1":
			sent = append(sent, text)
		}
	}
	if len(sent) == 0 {
		return refused("this hook needs the header Stripe-Signature")
	}
	if err := fresh(at, call.Now); err != nil {
		return err
	}
	return anyOf(sent, hex.EncodeToString(sum([]byte(c.Access.Reveal()), at, ".", string(call.Body))))
}

// anyOf returns an error unless one of the sent signatures is the right one.
func anyOf(sent []string, want string) error {
	found := false
	for _, signature := range sent {
		found = equal(signature, want) || found
	}
	if !found {
		return errSignature
	}
	return nil
}

// deliveryOf returns the id of a delivery, or "" if it has none.
func (s scheme) deliveryOf(header string, call *node.HookCall) string {
	if header == "" && s.word == "stripe" {
		var event struct{ ID string }
		_ = json.Unmarshal(call.Body, &event) // without an id, a repeated delivery is not recognized
		return event.ID
	}
	if header == "" {
		header = s.delivery
	}
	return first(call, http.CanonicalHeaderKey(header))
}

// prove authenticates a call, and returns the headers with the proof, which are not part of
// the output.
func (h *webhook) prove(ctx context.Context, call *node.HookCall) (hidden []string, err error) {
	hidden = append([]string{"Authorization", "Cookie", "Proxy-Authorization"}, h.scheme.secrets...)
	if h.scheme.check == nil {
		return hidden, nil
	}
	c, err := h.secrets.Resolve(ctx, h.secret)
	if err != nil {
		return nil, err
	}
	if c.Kind == credentials.KindHeader {
		hidden = append(hidden, http.CanonicalHeaderKey(c.Name))
	}
	return hidden, h.scheme.check(&c, call)
}
