package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/eml"
	"github.com/svcflow/svc/nodes/reading"
)

type emlIn struct {
	reading.Source

	AttachmentsDir *string `port:"attachments_dir,optional" widget:"file" doc:"Folder to save the attachments in. Without it they are only listed."`
}

func (d disk) emlParseNode() node.Node {
	return reading.Node(node.Func("data.eml_parse", "Read mail file", d.emlParse).
		Aliases("eml, email file, mime, parse mail, attachments", "eml, mail datei, mime, anhänge").
		Example(map[string]any{"text": "From: Ann <ann@example.com>\nSubject: Tea\n\nAt four?\n"}).Doc(
		"Reads a message as mail programs save it (`.eml`), with its texts in UTF-8 and its attachments: the outputs are those of `email.read_email`. `id` is the id that its sender "+
			"gave it, `timestamp` when it says that it was sent, in UTC; empty if it does not say so. With `attachments_dir` the attachments are saved there, under names that begin with a part that belongs to the message.\n\n"+
			"`text` has all parts that are plain text, in their order; HTML between them as text. Text with the name of a file is an attachment. "+
			"Each part is decoded as it declares, or by its bytes if that is missing or wrong; with an `encoding` other than `auto`, the whole file is decoded first. "+
			"A zone in the date counts by its name as in RFC 5322 (EST is -0500).\n\n"+
			"Malformed messages are read as mail programs read them: missing boundaries and quotes, broken base64, headers without encoding. What was repaired is in `warnings`. "+
			"Of a mailbox file with several messages only the first is read; the others are dropped, which fails the node unless that is accepted. "+
			"A file without any header is no message and fails. Messages over 25 MiB fail with `limit_exceeded`, and so do those with more than 1,000 parts."),
		"path", "text", "base64")
}

// maxMessage is the largest message, in bytes.
const maxMessage = 25 << 20

func (d disk) emlParse(ctx context.Context, in emlIn) (out eml.Out, err error) {
	input, err := in.Whole(ctx, d.Files, 4)
	if err != nil {
		return out, err
	}
	if len(input.Data) > maxMessage {
		return out, reading.TooMuch("the message is larger than %d MiB", maxMessage>>20)
	}
	letter, err := readLetter(input, reading.NotesOf(ctx))
	if err != nil {
		return out, err
	}
	sent := ""
	if t, ok := letter.Date(reading.NotesOf(ctx)); ok {
		sent = t.UTC().Format(time.RFC3339)
	}
	out = letter.Out("", sent)
	if out.ID = out.MessageID; out.ID == "" {
		sum := sha256.Sum256(input.Data)
		out.ID = hex.EncodeToString(sum[:16])
	}
	out.Attachments = []eml.Described{}
	for i := range letter.Attachments {
		a := &letter.Attachments[i]
		described := a.Describe()
		if in.AttachmentsDir != nil && *in.AttachmentsDir != "" {
			saved, err := d.saveAttachment(ctx, *in.AttachmentsDir, eml.FileName(out.ID, i+1, a.Filename), a.Data)
			if err != nil {
				return out, err
			}
			described.Path = &saved
		}
		out.Attachments = append(out.Attachments, described)
	}
	return out, nil
}

// readLetter parses a message. Its parts have encodings of their own, so that its bytes are
// not decoded before, unless the user names an encoding.
func readLetter(input reading.Input, notes *reading.Notes) (letter *eml.Letter, err error) {
	if input.Decoded || input.Label != "" && input.Label != charset.Auto {
		text, err := input.Text(notes, "")
		if err != nil {
			return nil, err
		}
		letter, err = eml.ReadText(text, notes)
		if err != nil {
			return nil, err
		}
	} else if letter, err = eml.ReadFile(input.Data, notes); err != nil {
		return nil, err
	}
	if !letter.IsMessage() {
		return nil, reading.Invalid("this is no message: it does not begin with a header such as From or Subject; give a file that a mail program saved")
	}
	return letter, nil
}

func (d disk) saveAttachment(ctx context.Context, dir, name string, data []byte) (string, error) {
	files := d.In(ctx)
	dir, err := files.Clean(dir)
	if err != nil {
		return "", err
	}
	name = path.Join(dir, name)
	_, err = files.Save(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return name, err
}
