package ionode_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/nodetest"
)

// keys is a provider of the listed secrets.
type keys map[credentials.Ref]string

func (k keys) Credential(_ context.Context, ref credentials.Ref) (credentials.Credential, error) {
	text, ok := k[ref]
	if !ok {
		return credentials.Credential{}, credentials.ErrNotFound
	}
	return credentials.Credential{Access: credentials.NewSecret(text)}, nil
}

func (keys) SetCredential(context.Context, credentials.Ref, credentials.Credential) error { return nil }

func (keys) Delete(context.Context, credentials.Ref) error { return nil }

func (keys) List(context.Context) ([]credentials.Info, error) { return nil, nil }

func TestWebhookIsSigned(t *testing.T) {
	var body []byte
	var header http.Header
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header.Clone()
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "thanks")
	})
	h := nodetest.New(t, ionode.Plugin(ionode.Env{HTTP: newClient(t), Credentials: keys{"webhook:shop": "k3y"}}))
	got, err := h.Exec("io.webhook_post", nil, record{
		"url": base, "payload": record{"b": "ä", "a": []any{1, nil}}, "secret": value.Credential("webhook:shop"),
		"headers": record{"X-Extra": 1, "x-svc-signature": "sha256=forged"},
	})
	require.NoError(t, err)
	require.Equal(t, record{"ok": true, "statusCode": 202, "body": "thanks", "deliveryId": header.Get("webhook-id")}, got)
	require.Equal(t, `{"a":[1,null],"b":"ä"}`, string(body))
	mac := hmac.New(sha256.New, []byte("k3y"))
	mac.Write(body)
	require.Equal(t, []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))}, header.Values("X-Svc-Signature"))
	require.Equal(t, "application/json", header.Get("Content-Type"))
	require.Equal(t, "1", header.Get("X-Extra"))
}

func TestWebhookWithoutSecretIsNotSigned(t *testing.T) {
	var body []byte
	var header http.Header
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header.Clone()
		w.WriteHeader(http.StatusInternalServerError)
	})
	h, _ := host(t, newClient(t))
	got, err := h.Exec("io.webhook_post", nil, record{"url": base, "payload": nil, "failOnStatus": false})
	require.NoError(t, err)
	require.Equal(t, record{"ok": false, "statusCode": 500, "body": "", "deliveryId": header.Get("webhook-id")}, got)
	require.NotEmpty(t, got["deliveryId"])
	require.NotContains(t, header, "Webhook-Signature")
	require.Equal(t, "null", string(body))
	require.NotContains(t, header, "X-Svc-Signature")
}

func TestWebhookDoesNotFollowRedirects(t *testing.T) {
	base, seen := redirectTo(t, http.StatusTemporaryRedirect, func(string) string { return "/to" })
	h, _ := host(t, newClient(t))
	got, err := h.Exec("io.webhook_post", nil, record{"url": base + "/from", "payload": 1})
	require.NoError(t, err)
	require.Equal(t, 307, got["statusCode"])
	require.Empty(t, seen.method)
}

func TestWebhookWithUnknownSecretIsNotSent(t *testing.T) {
	h := nodetest.New(t, ionode.Plugin(ionode.Env{HTTP: &http.Client{Transport: unreachable{t}}, Credentials: keys{}}))
	_, err := h.Exec("io.webhook_post", nil, record{"url": "http://a", "payload": 1, "secret": value.Credential("webhook:shop")})
	require.Equal(t, "unknown_credential", node.CodeOf(err))
	require.ErrorContains(t, err, "WEBHOOK_SHOP")
}
