package email

import (
	"context"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/eml"
	"github.com/svcflow/svc/nodes/service"
)

type readIn struct {
	Credential     value.Credential `port:"credential" network:"email" doc:"The account, for example email:main."`
	ID             string           `port:"id" doc:"The message, as email.fetch_emails named it."`
	AttachmentsDir string           `port:"attachments_dir,optional" widget:"file" doc:"Folder to save the attachments in. Without it they are only listed."`
	MarkRead       bool             `port:"mark_read" default:"false" doc:"Whether the message counts as read afterwards."`
}

func (m mailer) readNode() node.Node {
	return node.Func("email.read_email", "Read email", m.read).
		Aliases("open mail, message, attachments", "mail lesen, nachricht, anhänge").
		Example(map[string]any{"id": "INBOX;1;42"}).Doc(
		"Reads one message over IMAP, with its texts in UTF-8 and a list of its attachments. With `attachments_dir` these are saved " +
			"there, under names that begin with a part that belongs to the message, so that messages never overwrite each other's. " +
			"Messages over 25 MiB fail with `limit_exceeded`. Malformed messages are read as `data.eml_parse` reads them.\n\n" +
			"Fails with `not_found` if the message is no longer there or the mailbox has been numbered anew, `not_configured` if the " +
			"operator has not set the account up, `reauthorize` if the server refuses the credential and `unavailable` if it cannot " +
			"be reached.\n\n" +
			"Example: `credential` = `email:main`, `id` = `INBOX;1700000000;42`, `attachments_dir` = `invoices`.").
		Timeout(transferTimeout)
}

func (m mailer) read(ctx context.Context, in readIn) (eml.Out, error) {
	id, err := parseID(in.ID)
	if err != nil {
		return eml.Out{}, err
	}
	var l *eml.Letter
	var arrived string
	err = m.withInbox(ctx, in.Credential, func(client *imapclient.Client) error {
		msg, raw, err := fetchOne(client, id, !in.MarkRead, &imap.FetchItemBodySection{})
		if err != nil {
			return err
		}
		arrived = timestamp(msg.InternalDate)
		if l, err = eml.Read(raw, nil); err != nil || !in.MarkRead {
			return err
		}
		seen := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagSeen}}
		return client.Store(imap.UIDSetNum(id.uid), seen, nil).Close()
	})
	if err != nil {
		return eml.Out{}, err
	}
	out := l.Out(id.String(), arrived)
	out.Attachments, err = m.files.in(ctx).saveAll(in.AttachmentsDir, id, l.Attachments)
	return out, err
}

// fetchOne returns a part of a message of at most maxMessage bytes.
func fetchOne(client *imapclient.Client, id messageID, readOnly bool, section *imap.FetchItemBodySection) (*imapclient.FetchMessageBuffer, []byte, error) {
	validity, err := selectMailbox(client, id.mailbox, readOnly)
	if err != nil {
		return nil, nil, err
	}
	if validity != id.validity {
		return nil, nil, permanent(service.CodeNotFound, "the mailbox %q has been numbered anew; fetch its messages again for their present ids", id.mailbox)
	}
	section.Peek, section.Partial = true, &imap.SectionPartial{Size: maxMessage + 1}
	fetched, err := client.Fetch(imap.UIDSetNum(id.uid), &imap.FetchOptions{
		UID: true, InternalDate: true, BodySection: []*imap.FetchItemBodySection{section},
	}).Collect()
	if err != nil {
		return nil, nil, err
	}
	if len(fetched) == 0 {
		return nil, nil, permanent(service.CodeNotFound, "the message %q is no longer there; it was moved or deleted", id.String())
	}
	raw := fetched[0].FindBodySection(section)
	if len(raw) > maxMessage {
		return nil, nil, permanent(node.CodeLimitExceeded, "the message is larger than %d MiB", maxMessage>>20)
	}
	return fetched[0], raw, nil
}
