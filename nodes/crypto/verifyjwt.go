package crypto

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type verifyJWTIn struct {
	Token      string            `port:"token" doc:"The token; Bearer before it is passed over."`
	Secret     *value.Credential `port:"secret,optional" network:"http|webhook" doc:"What verifies it: a credential of kind hmac, or of kind key with a public or private key as PEM."`
	JWKSURL    *string           `port:"jwksUrl,optional" doc:"Where the one who signs tells its public keys: https://…/jwks.json. Give this or secret."`
	Audience   *string           `port:"audience,optional" doc:"Whom the token has to be for: aud."`
	Issuer     *string           `port:"issuer,optional" doc:"Who has to have signed it: iss."`
	Algorithms []string          `port:"algorithms" default:"[]" doc:"The algorithms to take; none for all that fit the key."`
}

type verifyJWTOut struct {
	Valid  bool           `port:"valid" doc:"Whether the signature is right, and the token is for us and of now."`
	Claims map[string]any `port:"claims" doc:"What the token says; empty unless it is valid."`
	Error  *string        `port:"error" doc:"Why it is not valid."`
}

// leeway is by how much clocks may differ.
const leeway = time.Minute

// maxToken bounds a token, in bytes.
const maxToken = 64 << 10

func (s secrets) verifyJWTNode(sets *keySets) node.Node {
	verify := func(ctx context.Context, in verifyJWTIn) (verifyJWTOut, error) {
		v := verifier{secrets: s, sets: sets, in: in}
		claims, err := v.verify(ctx)
		if invalid, ok := errors.AsType[notValid](err); ok {
			why := string(invalid)
			return verifyJWTOut{Claims: map[string]any{}, Error: &why}, nil
		}
		return verifyJWTOut{Valid: err == nil, Claims: claims}, err
	}
	n := node.Func("crypto.verify_jwt", "Verify token", verify).
		Aliases("check jwt, json web token, decode jwt, validate bearer", "jwt prüfen, token prüfen").
		Example(map[string]any{"token": "eyJhbGciOiJIUzI1NiJ9.e30.XX", "secret": "http:main"}).Doc(
		"Says whether a JSON Web Token is valid: signed with the key, for `audience`, by `issuer`, and not over or too early; clocks may differ by a minute. " +
			"Wire `valid` into the `condition` of a `control.branch`. What a token says that is not valid is never put out.\n\n" +
			"The key is a credential, or comes from `jwksUrl`, such as `https://accounts.example.com/jwks.json`; these keys are remembered for five minutes. " +
			"Which algorithms fit is decided by the key and never by the token, and `none` is none of them.")
	return withOneKey(n)
}

// withOneKey lets n refuse a config with two keys, or none.
func withOneKey(n node.Node) node.Node {
	bind := n.Bind
	n.Bind = func(b node.Binding) (node.Bound, []node.Problem) {
		bound, problems := bind(b)
		given := func(port string) bool { return b.Config[port] != nil || b.Wired(port) }
		switch secret, url := given("secret"), given("jwksUrl"); {
		case secret && url:
			problems = append(problems, node.Invalid("jwksUrl", "there are two keys to verify with; give secret or jwksUrl"))
		case !secret && !url:
			problems = append(problems, node.Invalid("secret", "there is no key to verify with; give secret or jwksUrl"))
		}
		return bound, problems
	}
	return n
}

// notValid says why a token is not valid.
type notValid string

// Error implements error.
func (n notValid) Error() string { return string(n) }

// verifier verifies one token.
type verifier struct {
	secrets

	sets *keySets
	in   verifyJWTIn
}

// verify returns the claims of a valid token. Its error is a [notValid], or says why that
// cannot be found out.
func (v *verifier) verify(ctx context.Context) (map[string]any, error) {
	text := bearer(v.in.Token)
	if len(text) > maxToken {
		return nil, notValid("the token is longer than 64 KiB")
	}
	token, err := jose.ParseSignedCompact(text, known())
	if err != nil || len(token.Signatures) != 1 {
		return nil, notValid("it is no signed JSON Web Token, or signed with an algorithm that is not taken")
	}
	header := token.Signatures[0].Header
	key, err := v.find(ctx, header.KeyID)
	if err != nil {
		return nil, err
	}
	if a := jose.SignatureAlgorithm(header.Algorithm); !contains(algorithms(key), a) || len(v.in.Algorithms) > 0 && !slices.Contains(v.in.Algorithms, header.Algorithm) {
		return nil, notValid("it is signed with " + header.Algorithm + ", which is not taken here")
	}
	payload, err := token.Verify(key)
	if err != nil {
		return nil, notValid("the signature is wrong")
	}
	return v.judge(payload)
}

// judge looks at the claims of a token that is signed.
func (v *verifier) judge(payload []byte) (map[string]any, error) {
	var times jwt.Claims
	decoded, err := value.DecodeLenient(payload)
	claims, isRecord := decoded.(map[string]any)
	if err != nil || !isRecord || json.Unmarshal(payload, &times) != nil {
		return nil, notValid("what it says are no claims")
	}
	want := jwt.Expected{Time: time.Now()}
	if v.in.Issuer != nil {
		want.Issuer = *v.in.Issuer
	}
	if v.in.Audience != nil {
		want.AnyAudience = jwt.Audience{*v.in.Audience}
	}
	switch err := times.ValidateWithLeeway(want, leeway); {
	case errors.Is(err, jwt.ErrExpired):
		return nil, notValid("it has expired")
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return nil, notValid("it is not valid yet")
	case errors.Is(err, jwt.ErrInvalidIssuer):
		return nil, notValid("it is of another issuer")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return nil, notValid("it is for another audience")
	case err != nil:
		return nil, notValid("its claims are wrong")
	}
	return claims, nil
}

// find returns the key that verifies a token whose header names it so.
func (v *verifier) find(ctx context.Context, id string) (any, error) {
	if v.in.Secret != nil {
		key, err := v.key(ctx, *v.in.Secret)
		return public(key), err
	}
	if v.in.JWKSURL == nil {
		return nil, refused("there is no key to verify with; give secret or jwksUrl")
	}
	return v.sets.find(ctx, *v.in.JWKSURL, id)
}

// known are all algorithms that can be verified.
func known() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.HS256, jose.HS384, jose.HS512, jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
		jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	}
}

// algorithms are those that a key verifies. The key says it, for a token could say that its
// public key is a secret.
func algorithms(key any) []jose.SignatureAlgorithm {
	switch key := key.(type) {
	case []byte:
		return known()[:3]
	case *rsa.PublicKey:
		return known()[3:9]
	case *ecdsa.PublicKey:
		switch key.Curve.Params().BitSize {
		case 256:
			return []jose.SignatureAlgorithm{jose.ES256}
		case 384:
			return []jose.SignatureAlgorithm{jose.ES384}
		}
		return []jose.SignatureAlgorithm{jose.ES512}
	case ed25519.PublicKey:
		return []jose.SignatureAlgorithm{jose.EdDSA}
	}
	return nil
}

func contains(all []jose.SignatureAlgorithm, a jose.SignatureAlgorithm) bool {
	return slices.Contains(all, a)
}
