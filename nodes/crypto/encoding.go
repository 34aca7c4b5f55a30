package crypto

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// The ways in which bytes become text.
const (
	asHex       = "hex"
	asBase64    = "base64"
	asBase64URL = "base64url"
)

func encode(data []byte, encoding string) string {
	switch encoding {
	case asBase64:
		return base64.StdEncoding.EncodeToString(data)
	case asBase64URL:
		return base64.RawURLEncoding.EncodeToString(data)
	}
	return hex.EncodeToString(data)
}

// decode is lenient about what does not change the bytes: upper case in hex, and padding.
func decode(text, encoding string) ([]byte, error) {
	switch encoding {
	case asBase64:
		return base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	case asBase64URL:
		return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	}
	return hex.DecodeString(text)
}
