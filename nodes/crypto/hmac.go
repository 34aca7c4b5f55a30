package crypto

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // an HMAC with it is not broken, and old services know no other
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type hmacIn struct {
	Text      string           `port:"text" widget:"multiline" doc:"What to sign, byte for byte."`
	Secret    value.Credential `port:"secret" network:"http|webhook" doc:"The secret that both sides know: a credential of kind hmac, for example http:shop, or webhook:shop."`
	Algorithm string           `port:"algorithm" enum:"sha256|sha1|sha512" default:"sha256" doc:"The hash. sha1 is for services that know no other."`
	Encoding  string           `port:"encoding" enum:"hex|base64|base64url" default:"hex" doc:"How the signature is written."`
}

type hmacOut struct {
	Signature string `port:"signature" doc:"The signature."`
}

func (s secrets) hmacNode() node.Node {
	sign := func(ctx context.Context, in hmacIn) (hmacOut, error) {
		secret, err := s.shared(ctx, in.Secret)
		if err != nil {
			return hmacOut{}, err
		}
		return hmacOut{encode(mac(in.Text, secret, in.Algorithm), in.Encoding)}, nil
	}
	return node.Func("crypto.hmac", "Sign text", sign).
		Aliases("hmac, signature, sign webhook, sign request", "hmac, signatur, unterschreiben, signieren").
		Example(map[string]any{"text": "hello", "secret": "http:main"}).Doc(
		"Signs a text with a secret that both sides know (HMAC), as the APIs of many services and their webhooks want it. The secret is a credential; no workflow holds it.\n\n" +
			"`algorithm` = `sha256` and `encoding` = `hex` give what GitHub sends behind `sha256=`.")
}

func mac(text string, secret []byte, algorithm string) []byte {
	algorithms := map[string]func() hash.Hash{"sha256": sha256.New, "sha1": sha1.New, "sha512": sha512.New}
	h := hmac.New(algorithms[algorithm], secret)
	h.Write([]byte(text))
	return h.Sum(nil)
}

type verifyHMACIn struct {
	Text      string           `port:"text" widget:"multiline" doc:"What was signed, byte for byte: of a request its body as it came, before it is parsed."`
	Signature string           `port:"signature" doc:"The signature that came with it; sha256= before it is passed over."`
	Secret    value.Credential `port:"secret" network:"http|webhook" doc:"The secret that both sides know: a credential of kind hmac, for example http:shop, or webhook:shop."`
	Algorithm string           `port:"algorithm" enum:"sha256|sha1|sha512" default:"sha256" doc:"The hash."`
	Encoding  string           `port:"encoding" enum:"hex|base64|base64url" default:"hex" doc:"How the signature is written."`
}

type verifyHMACOut struct {
	Valid bool `port:"valid" doc:"Whether the text was signed with the secret."`
}

func (s secrets) verifyHMACNode() node.Node {
	verify := func(ctx context.Context, in verifyHMACIn) (verifyHMACOut, error) {
		secret, err := s.shared(ctx, in.Secret)
		if err != nil {
			return verifyHMACOut{}, err
		}
		claimed, err := decode(withoutScheme(in.Signature, in.Algorithm), in.Encoding)
		return verifyHMACOut{err == nil && hmac.Equal(claimed, mac(in.Text, secret, in.Algorithm))}, nil
	}
	return node.Func("crypto.verify_hmac", "Verify signature", verify).
		Aliases("check hmac, verify webhook, signature valid", "hmac prüfen, signatur prüfen, webhook prüfen").
		Example(map[string]any{"text": "hello", "signature": "sha256=0123", "secret": "http:main"}).Doc(
		"Says whether a text was signed with a secret (HMAC), in a time that tells nothing of the right signature. Wire `valid` into the `condition` of a `control.branch`. " +
			"A signature that is no `hex` or base64 is not valid; it is no failure.")
}

// withoutScheme returns a signature without the name of its algorithm, "sha256=…", which has
// no letter case, and without white space around either.
func withoutScheme(signature, algorithm string) string {
	signature = strings.TrimSpace(signature)
	if name, rest, found := strings.Cut(signature, "="); found && strings.EqualFold(strings.TrimSpace(name), algorithm) {
		return strings.TrimSpace(rest)
	}
	return signature
}
