package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/eml"
)

type emlIn struct {
	source

	AttachmentsDir *string `port:"attachments_dir,optional" widget:"file" doc:"Folder to save the attachments in. Without it they are only listed."`
}

func (d disk) emlParseNode() node.Node {
	return fromOne(node.Func("data.eml_parse", "Read mail file", d.emlParse).
		Aliases("eml, email file, mime, parse mail, attachments", "eml, mail datei, mime, anhänge").
		Example(map[string]any{"text": "From: Ann <ann@example.com>\nSubject: Tea\n\nAt four?\n"}).Doc(
		"Reads a message as mail programs save it (`.eml`), with its texts in UTF-8 and its attachments: the outputs are those of `email.read_email`. `id` is the id that its sender " +
			"gave it, `timestamp` when it says that it was sent. With `attachments_dir` the attachments are saved there, under names that begin with a part that belongs to the message.\n\n" +
			"What cannot be decoded stays as it is. Messages over 25 MiB fail with `limit_exceeded`, and so do those with more than 1,000 parts."))
}

// maxMessage is the largest message, in bytes.
const maxMessage = 25 << 20

func (d disk) emlParse(ctx context.Context, in emlIn) (out eml.Out, err error) {
	text, err := d.whole(ctx, in.source, 4)
	if err != nil {
		return out, err
	}
	if len(text) > maxMessage {
		return out, tooMuch("the message is larger than %d MiB", maxMessage>>20)
	}
	letter, err := eml.Read([]byte(text))
	if err != nil {
		return out, node.Permanent(err)
	}
	sent := ""
	if t, err := letter.Header.Date(); err == nil && !t.IsZero() {
		sent = t.UTC().Format(time.RFC3339)
	}
	out = letter.Out("", sent)
	if out.ID = out.MessageID; out.ID == "" {
		sum := sha256.Sum256([]byte(text))
		out.ID = hex.EncodeToString(sum[:16])
	}
	out.Attachments = []eml.Described{}
	for i := range letter.Attachments {
		a := &letter.Attachments[i]
		described := a.Describe()
		if in.AttachmentsDir != nil && *in.AttachmentsDir != "" {
			saved, err := d.saveAttachment(*in.AttachmentsDir, eml.FileName(out.ID, i+1, a.Filename), a.Data)
			if err != nil {
				return out, err
			}
			described.Path = &saved
		}
		out.Attachments = append(out.Attachments, described)
	}
	return out, nil
}

func (d disk) saveAttachment(dir, name string, data []byte) (string, error) {
	dir, err := d.Clean(dir)
	if err != nil {
		return "", err
	}
	name = path.Join(dir, name)
	_, err = d.Save(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return name, err
}
