package crypto_test

import (
	"bytes"
	stdcrypto "crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/crypto"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

const secret = "canary-5f2e9a71c3d8e0-and-thirty-two-bytes"

// keys returns credentials of all kinds that can sign, by account of http.
func keys(t *testing.T) *credentials.Memory {
	t.Helper()
	held := &credentials.Memory{}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for account, key := range map[string]any{"ed": ed, "ec": ec, "rsa": rs} {
		private, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		hold(t, held, account, credentials.KindKey, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
		half, err := x509.MarshalPKIXPublicKey(public(t, key))
		require.NoError(t, err)
		hold(t, held, account+"-public", credentials.KindKey, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: half})))
	}
	hold(t, held, "main", credentials.KindHMAC, secret)
	hold(t, held, "token", credentials.KindBearer, secret)
	hold(t, held, "broken", credentials.KindKey, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
	require.NoError(t, held.SetCredential(t.Context(), "webhook:shop", credentials.Credential{Access: credentials.NewSecret(secret)}))
	return held
}

// public returns the public half of a key.
func public(t *testing.T, key any) any {
	t.Helper()
	signer, ok := key.(stdcrypto.Signer)
	require.True(t, ok)
	return signer.Public()
}

func hold(t *testing.T, held *credentials.Memory, account string, kind credentials.Kind, text string) {
	t.Helper()
	require.NoError(t, held.SetCredential(t.Context(), credentials.Ref("http:"+account), credentials.Credential{Kind: kind, Access: credentials.NewSecret(text)}))
}

func host(t *testing.T) *nodetest.Host {
	t.Helper()
	return nodetest.New(t, crypto.New(crypto.Config{Credentials: keys(t), HTTP: &http.Client{}}))
}

func TestSpecs(t *testing.T) { nodetest.Check(t, crypto.New(crypto.Config{})) }

func TestRandomInputs(t *testing.T) {
	held := keys(t)
	nodetest.Quick(t, crypto.New(crypto.Config{Credentials: held}), map[string][]map[string]any{
		"crypto.hmac":        {{"secret": "http:main"}},
		"crypto.verify_hmac": {{"secret": "webhook:shop"}},
		"crypto.sign_jwt":    {{"secret": "http:main"}, {"secret": "http:ec", "algorithm": "ES256", "expiresIn": "1h"}},
		"crypto.verify_jwt":  {{"secret": "http:main"}, {"jwksUrl": "https://example.com/jwks.json"}},
	})
}

func TestHMAC(t *testing.T) {
	h := host(t)
	// RFC 4231, test case 2, and the output of openssl.
	jefe := &credentials.Memory{}
	require.NoError(t, jefe.SetCredential(t.Context(), "webhook:jefe", credentials.Credential{Access: credentials.NewSecret("Jefe")}))
	known := nodetest.New(t, crypto.New(crypto.Config{Credentials: jefe}))
	for algorithm, want := range map[string]string{
		"sha256": "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		"sha1":   "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
		"sha512": "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
	} {
		out, err := known.Exec("crypto.hmac", record{"secret": "webhook:jefe", "algorithm": algorithm}, record{"text": "what do ya want for nothing?"})
		require.NoError(t, err)
		require.Equal(t, record{"signature": want}, out)
	}
	for _, encoding := range []string{"hex", "base64", "base64url"} {
		for _, ref := range []string{"http:main", "webhook:shop"} {
			config := record{"secret": ref, "encoding": encoding}
			out, err := h.Exec("crypto.hmac", config, record{"text": "hello"})
			require.NoError(t, err)
			signature := out["signature"].(string)
			for text, valid := range map[string]bool{signature: true, "sha256=" + signature: true, " " + signature: true, signature[1:]: false, "": false, "ünfug": false, "sha1=" + signature: false, "SHA256=" + signature: true, "sha256= " + signature + " ": true} {
				out, err := h.Exec("crypto.verify_hmac", config, record{"text": "hello", "signature": text})
				require.NoError(t, err)
				require.Equal(t, record{"valid": valid}, out, text)
			}
			out, err = h.Exec("crypto.verify_hmac", config, record{"text": "hellO", "signature": signature})
			require.NoError(t, err)
			require.Equal(t, false, out["valid"])
		}
	}
	for _, ref := range []string{"http:token", "http:ec"} {
		_, err := h.Exec("crypto.hmac", record{"secret": ref}, record{"text": "hello"})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
		require.NotContains(t, err.Error(), "canary")
	}
	_, err := h.Exec("crypto.hmac", record{"secret": "http:none"}, record{"text": "hello"})
	require.Equal(t, "unknown_credential", node.CodeOf(err))
}

func TestJWT(t *testing.T) {
	h := host(t)
	claims := record{"sub": "ada", "n": 1<<53 + 1, "aud": "us", "iss": "them"}
	for _, tt := range []struct{ algorithm, sign, verify string }{
		{"HS256", "http:main", "http:main"},
		{"HS256", "webhook:shop", "http:main"},
		{"RS256", "http:rsa", "http:rsa-public"},
		{"ES256", "http:ec", "http:ec"},
		{"EdDSA", "http:ed", "http:ed-public"},
	} {
		out, err := h.Exec("crypto.sign_jwt", record{"secret": tt.sign, "algorithm": tt.algorithm}, record{"claims": claims})
		require.NoError(t, err, tt.algorithm)
		token := out["token"].(string)
		require.Equal(t, 2, strings.Count(token, "."))
		out, err = h.Exec("crypto.verify_jwt", record{"secret": tt.verify, "audience": "us", "issuer": "them"}, record{"token": "Bearer " + token})
		require.NoError(t, err)
		require.Equal(t, record{"valid": true, "claims": claims, "error": nil}, out)
		for why, config := range map[string]record{
			"it is for another audience":                                      {"secret": tt.verify, "audience": "them"},
			"it is of another issuer":                                         {"secret": tt.verify, "issuer": "us"},
			"it is signed with " + tt.algorithm + ", which is not taken here": {"secret": tt.verify, "algorithms": []any{"PS512"}},
		} {
			refused(t, h, config, token, why)
		}
		refused(t, h, record{"secret": tt.verify}, token[:len(token)-8]+"AAAAAAAA", "the signature is wrong")
		for _, other := range []string{"http:main", "http:rsa", "http:ec", "http:ed"} {
			if !strings.HasPrefix(tt.verify, other) {
				refused(t, h, record{"secret": other}, token, "it is signed with "+tt.algorithm+", which is not taken here")
			}
		}
	}
	for _, token := range []string{"", "x", "a.b.c", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.", strings.Repeat("a", 70<<10)} {
		out, err := h.Exec("crypto.verify_jwt", record{"secret": "http:main"}, record{"token": token})
		require.NoError(t, err)
		require.Equal(t, false, out["valid"])
		require.Empty(t, out["claims"])
	}
}

func refused(t *testing.T, h *nodetest.Host, config record, token, why string) {
	t.Helper()
	out, err := h.Exec("crypto.verify_jwt", config, record{"token": token})
	require.NoError(t, err)
	require.Equal(t, record{"valid": false, "claims": record{}, "error": why}, out)
}

// TestPublicKeyIsNoSecret rejects a token that was signed with HMAC and the text of a
// public key as the secret.
func TestPublicKeyIsNoSecret(t *testing.T) {
	held := keys(t)
	public, err := held.Credential(t.Context(), "http:rsa-public")
	require.NoError(t, err)
	hold(t, held, "forger", credentials.KindHMAC, public.Access.Reveal())
	h := nodetest.New(t, crypto.New(crypto.Config{Credentials: held}))
	out, err := h.Exec("crypto.sign_jwt", record{"secret": "http:forger"}, record{"claims": record{"sub": "eve"}})
	require.NoError(t, err)
	refused(t, h, record{"secret": "http:rsa-public"}, out["token"].(string), "it is signed with HS256, which is not taken here")
}

func TestSignJWTRefuses(t *testing.T) {
	h := host(t)
	for _, tt := range []struct{ ref, algorithm, message string }{
		{"http:main", "RS256", "its key is for [HS256 HS384 HS512]"},
		{"http:ec", "HS256", "its key is for [ES256]"},
		{"http:rsa-public", "RS256", "is it a public key?"},
		{"http:broken", "RS256", "holds no key that can be used"},
		{"http:token", "HS256", "has to be of kind hmac"},
	} {
		_, err := h.Exec("crypto.sign_jwt", record{"secret": tt.ref, "algorithm": tt.algorithm}, record{"claims": record{}})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), "%v", tt)
		require.ErrorContains(t, err, tt.message)
		require.True(t, node.IsPermanent(err))
	}
	_, err := h.Exec("crypto.sign_jwt", record{"secret": "http:main", "expiresIn": "soon"}, record{"claims": record{}})
	require.ErrorContains(t, err, `expiresIn: "soon" is no span of time`)
	require.NotEmpty(t, h.Problems("crypto.verify_jwt", record{"token": "x"}))
	require.NotEmpty(t, h.Problems("crypto.verify_jwt", record{"token": "x", "secret": "http:main", "jwksUrl": "https://example.com"}))
}

func TestTokensExpire(t *testing.T) {
	held := keys(t)
	synctest.Test(t, func(t *testing.T) {
		h := nodetest.New(t, crypto.New(crypto.Config{Credentials: held}))
		out, err := h.Exec("crypto.sign_jwt", record{"secret": "http:main", "expiresIn": "1h"}, record{"claims": record{"sub": "ada"}})
		require.NoError(t, err)
		token := out["token"].(string)
		<-time.After(time.Hour + 59*time.Second)
		out, err = h.Exec("crypto.verify_jwt", record{"secret": "http:main"}, record{"token": token})
		require.NoError(t, err)
		require.Equal(t, record{"valid": true, "error": nil, "claims": record{"sub": "ada", "iat": 946684800, "exp": 946688400}}, out)
		<-time.After(2 * time.Second)
		refused(t, h, record{"secret": "http:main"}, token, "it has expired")
		out, err = h.Exec("crypto.sign_jwt", record{"secret": "http:main"}, record{"claims": record{"nbf": int(time.Now().Add(time.Hour).Unix())}})
		require.NoError(t, err)
		refused(t, h, record{"secret": "http:main"}, out["token"].(string), "it is not valid yet")
	})
}

func TestKeysOfOthers(t *testing.T) {
	held := keys(t)
	c, err := held.Credential(t.Context(), "http:ec-public")
	require.NoError(t, err)
	block, _ := pem.Decode([]byte(c.Access.Reveal()))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	require.NoError(t, err)
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: public, KeyID: "one", Use: "sig"}, {Key: public, KeyID: "enc", Use: "enc"}, {Key: []byte(secret), KeyID: "symmetric"},
	}})
	require.NoError(t, err)
	odd, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, Use: "sig"}, {Key: public, KeyID: "enc", Use: "enc"}}})
	require.NoError(t, err)
	odd = bytes.Replace(odd, []byte(`{"keys":[`), []byte(`{"keys":[{"kty":"AKP","alg":"ML-DSA-44","pub":"x"},{"kty":"OKP","crv":"X25519","x":"hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo","use":"enc"},7,`), 1)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/jwks.json":
			_, _ = w.Write(set)
		case "/odd.json":
			asked.Add(-1)
			_, _ = w.Write(odd)
		case "/moved":
			http.Redirect(w, r, "/jwks.json", http.StatusFound)
		default:
			_, _ = w.Write([]byte("<html>"))
		}
	}))
	defer server.Close()
	h := nodetest.New(t, crypto.New(crypto.Config{Credentials: held, HTTP: server.Client()}))
	sign := func(config record) string {
		out, err := h.Exec("crypto.sign_jwt", config, record{"claims": record{"sub": "ada"}})
		require.NoError(t, err)
		return out["token"].(string)
	}
	url := record{"jwksUrl": server.URL + "/jwks.json"}
	for range 3 {
		out, err := h.Exec("crypto.verify_jwt", url, record{"token": sign(record{"secret": "http:ec", "algorithm": "ES256", "keyId": "one"})})
		require.NoError(t, err)
		require.Equal(t, record{"sub": "ada"}, out["claims"])
	}
	out, err := h.Exec("crypto.verify_jwt", record{"jwksUrl": server.URL + "/odd.json"}, record{"token": sign(record{"secret": "http:ec", "algorithm": "ES256"})})
	require.NoError(t, err, "keys that are not understood, or are for encryption, are passed over")
	require.Equal(t, record{"sub": "ada"}, out["claims"])
	for _, config := range []record{
		{"secret": "http:ec", "algorithm": "ES256", "keyId": "other"},
		{"secret": "http:ec", "algorithm": "ES256", "keyId": "enc"},
		{"secret": "http:ec", "algorithm": "ES256"},
		{"secret": "http:main", "keyId": "symmetric"},
	} {
		refused(t, h, url, sign(config), "its key is none of those at jwksUrl")
	}
	require.EqualValues(t, 1, asked.Load(), "keys are remembered, and unknown ones do not make it ask each time")
	token := sign(record{"secret": "http:ec", "algorithm": "ES256", "keyId": "one"})
	for _, path := range []string{"/moved", "/page"} {
		_, err := h.Exec("crypto.verify_jwt", record{"jwksUrl": server.URL + path}, record{"token": token})
		require.Equal(t, node.CodeUnavailable, node.CodeOf(err), path)
	}
	for _, address := range []string{"http://example.com/jwks.json", "ftp://example.com", "x", ""} {
		_, err := h.Exec("crypto.verify_jwt", record{"jwksUrl": address}, record{"token": token})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), address)
	}
}

// TestTokenIsNotShown runs the node in a workflow and checks that no record of the run
// contains the token.
func TestTokenIsNotShown(t *testing.T) {
	registry, err := node.NewRegistry(crypto.New(crypto.Config{Credentials: keys(t)}))
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), &workflow.Definition{ID: "w", Nodes: []workflow.Node{
		{ID: "sign", Type: "crypto.sign_jwt", Config: record{"secret": "http:main", "claims": record{"sub": "ada"}}},
		{ID: "check", Type: "crypto.verify_jwt", Config: record{"secret": "http:main"}},
	}, Connections: []workflow.Connection{{FromNodeID: "sign", FromPort: "token", ToNodeID: "check", ToPort: "token"}}}, engine.Env{Registry: registry})
	require.NoError(t, err)
	var said []engine.Event
	run, err := new(engine.Local).Run(t.Context(), plan, engine.Options{Observe: func(e engine.Event) { said = append(said, e) }})
	require.NoError(t, err)
	require.Nil(t, run.Err())
	told, err := json.Marshal(said)
	require.NoError(t, err)
	require.Contains(t, string(told), `"valid":true`)
	require.NotContains(t, string(told), "eyJ")
	require.NotContains(t, string(told), "canary")
}

func TestIDs(t *testing.T) {
	h := host(t)
	seen := map[any]bool{}
	for _, version := range []string{"4", "7", "4", "7"} {
		out, err := h.Exec("crypto.uuid", record{"version": version}, nil)
		require.NoError(t, err)
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-`+version+`[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, out["text"])
		require.False(t, seen[out["text"]])
		seen[out["text"]] = true
	}
	for encoding, pattern := range map[string]string{"hex": "^[0-9a-f]{40}$", "base64": "^[0-9A-Za-z+/]{27}=$", "base64url": "^[0-9A-Za-z_-]{27}$"} {
		out, err := h.Exec("crypto.random", record{"bytes": 20, "encoding": encoding}, nil)
		require.NoError(t, err)
		require.Regexp(t, pattern, out["text"])
	}
	for _, n := range []int{0, -1, 65537} {
		_, err := h.Exec("crypto.random", record{"bytes": n}, nil)
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	}
}
