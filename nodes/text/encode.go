package text

import (
	"context"
	"crypto/md5"  // offered for checksums of old
	"crypto/sha1" // offered for checksums of old
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
	return node.Func("text.encode", "Encode text", encode).Pure().
		Aliases("base64, url, hex, html, escape", "kodieren, maskieren").Doc(
		"Writes a text in a form that survives where the text itself would not.\n\n" +
			"`a&b ü` becomes `YSZiIMO8` (base64, and base64url), `a%26b+%C3%BC` (url), `61266220c3bc` (hex) or `a&amp;b ü` (html).")
}

// encodePiece is how much is encoded at a time, in bytes. Every form can be cut
// there: base64 takes three bytes at a time, the others one.
const encodePiece = 3 << 14

// encode goes piece by piece, so that it can stop when the text gets too long.
func encode(ctx context.Context, in codeIn) (codeOut, error) {
	if err := claim(ctx, 3*len(in.Text)); err != nil {
		return codeOut{}, err
	}
	var b strings.Builder
	for rest := in.Text; rest != ""; {
		n := min(len(rest), encodePiece)
		b.WriteString(encoded(rest[:n], in.Format))
		rest = rest[n:]
		if err := checkSize(b.Len()); err != nil {
			return codeOut{}, err
		}
	}
	return codeOut{b.String()}, nil
}

func encoded(text, format string) string {
	switch format {
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(text))
	case "base64url":
		return base64.RawURLEncoding.EncodeToString([]byte(text))
	case "url":
		return url.QueryEscape(text)
	case "hex":
		return hex.EncodeToString([]byte(text))
	}
	return html.EscapeString(text)
}

func decodeNode() node.Node {
	return node.Func("text.decode", "Decode text", decode).Pure().
		Aliases("base64, url, hex, html, unescape", "dekodieren, entschlüsseln").
		Example(map[string]any{"format": "url", "text": "Hello%2C%20Ada!"}).Doc(
		"Reads back what text.encode, or anything else, has written.\n\n" +
			"`YSZi` in base64 gives `a&b`. Padding may be left out, and white space around base64 and hex does not matter. What is " +
			"no such form, or no text when it is read, is a failure with the code invalid_input: keep pictures and other files encoded.")
}

func decode(ctx context.Context, in codeIn) (codeOut, error) {
	if err := claim(ctx, 2*len(in.Text)); err != nil {
		return codeOut{}, err
	}
	text, err := decoded(in.Text, in.Format)
	if err != nil {
		return codeOut{}, errNotEncoded(in.Format)
	}
	if !utf8.ValidString(text) {
		return codeOut{}, node.Errorf(node.CodeInvalidInput, "what is encoded is no text in UTF-8; keep it encoded")
	}
	return codeOut{text}, nil
}

func decoded(text, format string) (string, error) {
	switch format {
	case "base64":
		b, err := fromBase64(text, base64.RawStdEncoding)
		return string(b), err
	case "base64url":
		b, err := fromBase64(text, base64.RawURLEncoding)
		return string(b), err
	case "url":
		return url.QueryUnescape(text)
	case "hex":
		b, err := hex.DecodeString(strings.TrimSpace(text))
		return string(b), err
	}
	return html.UnescapeString(text), nil
}

// fromBase64 takes a text with or without padding, and with line breaks, which
// many programs put in and at the end.
func fromBase64(text string, encoding *base64.Encoding) ([]byte, error) {
	text = strings.TrimSpace(text)
	text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	return encoding.DecodeString(text)
}

func errNotEncoded(format string) error {
	return node.Errorf(node.CodeInvalidInput, "the text is not %s", format)
}

type hashIn struct {
	Text      string `port:"text" doc:"The text to take the fingerprint of."`
	Algorithm string `port:"algorithm" enum:"sha256|sha1|sha512|md5" default:"sha256" doc:"How; sha1 and md5 only where something old asks for them."`
	Encoding  string `port:"encoding" enum:"utf8|base64" default:"utf8" doc:"What the text holds: itself, or in base64 the bytes of a file, of which the fingerprint is taken."`
}

type hashOut struct {
	Hash string `port:"hash" doc:"The fingerprint in hex, lower case."`
}

func hashNode() node.Node {
	return node.Func("text.hash", "Hash text", hash).Pure().
		Aliases("sha256, md5, checksum, digest", "prüfsumme, fingerabdruck").Doc(
		"Takes the fingerprint of a text (of its bytes in UTF-8), to tell whether it has changed.\n\n" +
			"`abc` in sha256 gives `ba7816bf…f20015ad`, and so does `YWJj` with the encoding base64, the form in which *Read file* " +
			"gives files of any kind.")
}

func hash(_ context.Context, in hashIn) (hashOut, error) {
	text := []byte(in.Text)
	if in.Encoding == "base64" {
		file, err := fromBase64(in.Text, base64.RawStdEncoding)
		if err != nil {
			return hashOut{}, errNotEncoded(in.Encoding)
		}
		text = file
	}
	var sum []byte
	switch in.Algorithm {
	case "sha1":
		s := sha1.Sum(text) // asked for
		sum = s[:]
	case "sha512":
		s := sha512.Sum512(text)
		sum = s[:]
	case "md5":
		s := md5.Sum(text) // asked for
		sum = s[:]
	default:
		s := sha256.Sum256(text)
		sum = s[:]
	}
	return hashOut{hex.EncodeToString(sum)}, nil
}
