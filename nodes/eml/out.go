package eml

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// Described describes an attachment in a node's output.
type Described struct {
	Filename string  `port:"filename" doc:"What its sender calls it; may be empty."`
	MIME     string  `port:"mime" doc:"Its type, for example application/pdf."`
	Bytes    int     `port:"bytes" doc:"Its size."`
	Path     *string `port:"path" doc:"Where it was saved; null without attachments_dir."`
}

// Out is a message in a node's output.
type Out struct {
	ID          string         `port:"id" doc:"What names the message."`
	From        string         `port:"from" doc:"The sender, for example Ann <ann@example.com>."`
	To          []string       `port:"to" doc:"The addressees."`
	CC          []string       `port:"cc" doc:"Who got a copy."`
	Subject     string         `port:"subject" doc:"The subject."`
	Timestamp   string         `port:"timestamp" doc:"When it arrived, for example 2026-11-20T10:00:00Z."`
	MessageID   string         `port:"message_id" doc:"The id that its sender gave it, for example <a@example.com>; may be empty."`
	Headers     map[string]any `port:"headers" doc:"All headers by lower-case name. One that comes several times has a line for each."`
	Text        string         `port:"text" doc:"The text. Where only HTML was sent, the text in it."`
	HTML        string         `port:"html" doc:"The HTML as it was sent; empty if there is none. Do not show it without a sanitizer."`
	Attachments []Described    `port:"attachments" doc:"The attachments, images in the HTML included."`
}

// Out returns the message without its attachments.
func (l *Letter) Out(id, arrived string) Out {
	return Out{
		ID: id, From: strings.Join(l.Shown("From"), ", "), To: l.Shown("To"), CC: l.Shown("Cc"),
		Subject: l.Field("Subject"), Timestamp: arrived, MessageID: l.MessageID(),
		Headers: l.Headers(), Text: l.Body(), HTML: l.HTML,
	}
}

// Describe describes an attachment that was not saved.
func (a *Attachment) Describe() Described {
	return Described{Filename: a.Filename, MIME: a.MIME, Bytes: len(a.Data)}
}

// FileName returns the name for the i-th attachment of the message id. The prefix is a hash
// of id, so that the name is unique and reproducible. Of the sender's name only the safe
// characters are kept.
func FileName(id string, i int, sent string) string {
	front := sha256.Sum256([]byte(id))
	sent = path.Base(strings.ReplaceAll(sent, `\`, "/"))
	sent = strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._- ", r) {
			return r
		}
		return -1
	}, sent), ". ")
	name := hex.EncodeToString(front[:6]) + "-" + strconv.Itoa(i)
	if sent == "" {
		return name
	}
	runes := []rune(sent)
	return name + "-" + string(runes[max(0, len(runes)-longestName):]) // the end has the extension
}

// longestName is how many characters of a sender's file name are kept.
const longestName = 40
