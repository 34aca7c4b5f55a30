package crypto

import (
	"context"
	"maps"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/span"
)

type signJWTIn struct {
	Claims    map[string]any   `port:"claims" widget:"json" doc:"What the token says, for example {\"sub\":\"ada\"}."`
	Secret    value.Credential `port:"secret" network:"http|webhook" doc:"A credential of kind hmac for HS256, else of kind key: a private key as PEM."`
	Algorithm string           `port:"algorithm" enum:"HS256|RS256|ES256|EdDSA" default:"HS256" doc:"How to sign."`
	ExpiresIn *string          `port:"expiresIn,optional" doc:"How long the token is valid: 15m, 12h, 30d. It sets iat and exp, unless claims have them."`
	KeyID     *string          `port:"keyId,optional" doc:"The name of the key, for receivers that have several: the header kid."`
}

type signJWTOut struct {
	Token string `port:"token" doc:"The token. Whatever shows the run has dots in its place."`
}

func (s secrets) signJWTNode(r *span.Reader) node.Node {
	sign := func(ctx context.Context, in signJWTIn) (signJWTOut, error) {
		claims, err := stamped(in, r, time.Now())
		if err != nil {
			return signJWTOut{}, err
		}
		key, err := s.key(ctx, in.Secret)
		if err != nil {
			return signJWTOut{}, err
		}
		token, err := signed(claims, key, in)
		node.ConcealOutput(ctx, token)
		return signJWTOut{token}, err
	}
	return node.Func("crypto.sign_jwt", "Sign token", sign).
		Aliases("jwt, json web token, bearer token, service account", "jwt, token erstellen, anmelden").
		Example(map[string]any{"claims": map[string]any{"sub": "ada"}, "secret": "http:main", "expiresIn": "15m"}).Doc(
		"Makes a JSON Web Token, as many APIs take it for a login. With a credential of kind hmac it signs with `HS256`, with one of kind key (a private key in PEM) " +
			"with `RS256`, `ES256` or `EdDSA`.\n\n" +
			"The token is concealed: events, results and logs do not show it, and a run that is resumed signs anew. With `expiresIn` = `15m` its claims get `iat` and `exp`.")
}

// stamped returns the claims with the times that are asked for.
func stamped(in signJWTIn, r *span.Reader, now time.Time) (map[string]any, error) {
	if in.ExpiresIn == nil {
		return in.Claims, nil
	}
	valid, err := r.Read(*in.ExpiresIn)
	if err != nil {
		return nil, refused("expiresIn: %w", err)
	}
	claims := map[string]any{"iat": int(now.Unix()), "exp": int(valid.From(now.UTC()).Unix())}
	maps.Copy(claims, in.Claims)
	return claims, nil
}

func signed(claims map[string]any, key any, in signJWTIn) (string, error) {
	options := (&jose.SignerOptions{}).WithType("JWT")
	if in.KeyID != nil {
		options = options.WithHeader("kid", *in.KeyID)
	}
	algorithm := jose.SignatureAlgorithm(in.Algorithm)
	if fit := algorithms(public(key)); public(key) != nil && !contains(fit, algorithm) {
		return "", refused("%s cannot be signed with the credential %q; its key is for %v", in.Algorithm, in.Secret, fit)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		return "", refused("the credential %q cannot sign with %s; is it a public key?", in.Secret, in.Algorithm)
	}
	token, err := signer.Sign(value.Encode(claims))
	if err != nil {
		return "", node.Permanent(node.Errorf(node.CodeFailed, "the token cannot be signed with %q; its key may be too short for %s", in.Secret, in.Algorithm))
	}
	return token.CompactSerialize()
}
