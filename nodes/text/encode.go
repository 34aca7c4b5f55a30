package text

import (
	"context"
	"crypto/md5"  //nolint:gosec // offered for checksums of old
	"crypto/sha1" //nolint:gosec // offered for checksums of old
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
)

type codeIn struct {
	Text   string `port:"text" doc:"The text to write in another form, or to read back."`
	Format string `port:"format" enum:"base64|base64url|url|hex|html" doc:"The form: base64, base64url without padding, url for a part of an address, hex, or html with its special characters escaped."`
}

type codeOut struct {
	Text string `port:"text" doc:"The text in its new form."`
}

func encodeNode() node.Node {
	return node.Func("text.encode", "Encode text", encode).Pure().Doc(
		"Writes a text in a form that survives where the text itself would not.\n\n" +
			"`a&b ü` becomes `YSZiIMO8` (base64, and base64url), `a%26b+%C3%BC` (url), `61266220c3bc` (hex) or `a&amp;b ü` (html).")
}

func encode(_ context.Context, in codeIn) (codeOut, error) {
	if err := checkSize(len(in.Text)); err != nil {
		return codeOut{}, err
	}
	var text string
	switch in.Format {
	case "base64":
		text = base64.StdEncoding.EncodeToString([]byte(in.Text))
	case "base64url":
		text = base64.RawURLEncoding.EncodeToString([]byte(in.Text))
	case "url":
		text = url.QueryEscape(in.Text)
	case "hex":
		text = hex.EncodeToString([]byte(in.Text))
	case "html":
		text = html.EscapeString(in.Text)
	}
	return codeOut{text}, checkSize(len(text))
}

func decodeNode() node.Node {
	return node.Func("text.decode", "Decode text", decode).Pure().Doc(
		"Reads back what text.encode, or anything else, has written.\n\n" +
			"`YSZi` in base64 gives `a&b`. Padding may be left out. What is no such form, or no text when it is read, is a failure " +
			"with the code invalid_input: keep pictures and other files encoded.")
}

func decode(_ context.Context, in codeIn) (codeOut, error) {
	text, err := decoded(in.Text, in.Format)
	if err != nil {
		return codeOut{}, node.Errorf(node.CodeInvalidInput, "the text is not %s", in.Format)
	}
	if !utf8.ValidString(text) {
		return codeOut{}, node.Errorf(node.CodeInvalidInput, "what is encoded is no text in UTF-8; keep it encoded")
	}
	return codeOut{text}, nil
}

func decoded(text, format string) (string, error) {
	switch format {
	case "base64":
		b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
		return string(b), err
	case "base64url":
		b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
		return string(b), err
	case "url":
		return url.QueryUnescape(text)
	case "hex":
		b, err := hex.DecodeString(text)
		return string(b), err
	}
	return html.UnescapeString(text), nil
}

type hashIn struct {
	Text      string `port:"text" doc:"The text to take the fingerprint of."`
	Algorithm string `port:"algorithm" enum:"sha256|sha1|sha512|md5" default:"sha256" doc:"How; sha1 and md5 only where something old asks for them."`
}

type hashOut struct {
	Hash string `port:"hash" doc:"The fingerprint in hex, lower case."`
}

func hashNode() node.Node {
	return node.Func("text.hash", "Hash text", hash).Pure().Doc(
		"Takes the fingerprint of a text (of its bytes in UTF-8), to tell whether it has changed.\n\n" +
			"`abc` in sha256 gives `ba7816bf…f20015ad`.")
}

func hash(_ context.Context, in hashIn) (hashOut, error) {
	var sum []byte
	switch text := []byte(in.Text); in.Algorithm {
	case "sha1":
		s := sha1.Sum(text) //nolint:gosec // asked for
		sum = s[:]
	case "sha512":
		s := sha512.Sum512(text)
		sum = s[:]
	case "md5":
		s := md5.Sum(text) //nolint:gosec // asked for
		sum = s[:]
	default:
		s := sha256.Sum256(text)
		sum = s[:]
	}
	return hashOut{hex.EncodeToString(sum)}, nil
}
