package crypto

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// secrets finds what is signed with.
type secrets struct{ service.Resolver }

// shared returns the secret that both sides know.
func (s secrets) shared(ctx context.Context, ref value.Credential) ([]byte, error) {
	c, err := s.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	if c.Kind != credentials.KindHMAC && c.Kind != "" {
		return nil, refused("the credential %q is of kind %s; to sign with a secret it has to be of kind hmac", ref, c.Kind)
	}
	return []byte(c.Access.Reveal()), nil
}

// key returns what tokens are signed with, or verified: the secret that both sides know as
// []byte, or a key that was read from PEM.
func (s secrets) key(ctx context.Context, ref value.Credential) (any, error) {
	c, err := s.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	if c.Kind != credentials.KindKey {
		return s.shared(ctx, ref)
	}
	key, err := parsePEM([]byte(c.Access.Reveal()))
	if err != nil { // the error does not quote the key
		return nil, refused("the credential %q holds no key that can be used: one PEM block with a private or public key, without a passphrase", ref)
	}
	return key, nil
}

// parsePEM returns the first key of a PEM text.
func parsePEM(text []byte) (any, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, node.Errorf(node.CodeFailed, "no PEM")
	}
	switch block.Type {
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return c.PublicKey, nil
	}
	return x509.ParsePKCS8PrivateKey(block.Bytes)
}

// public returns what verifies the signatures of key.
func public(key any) any {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return &key.PublicKey
	case *ecdsa.PrivateKey:
		return &key.PublicKey
	case ed25519.PrivateKey:
		return key.Public()
	}
	return key
}
