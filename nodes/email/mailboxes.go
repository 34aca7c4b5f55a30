package email

import (
	"context"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type mailboxesIn struct {
	Credential value.Credential `port:"credential" network:"email" doc:"The account, for example email:main."`
}

type mailboxesOut struct {
	Mailboxes []string `port:"mailboxes" doc:"Their names, sorted."`
	Count     int      `port:"count" doc:"How many there are."`
}

func (m mailer) mailboxesNode() node.Node {
	return node.Func("email.get_mailboxes", "Get mailboxes", m.mailboxes).
		Aliases("folders, labels, imap", "ordner, postfächer").Doc(
		"Lists the mailboxes of an account over IMAP; Gmail's labels are mailboxes, too. Those that only hold other ones are left out.\n\n" +
			"Fails with `not_configured` if the operator has not set the account up, `reauthorize` if the server refuses the " +
			"credential and `unavailable` if it cannot be reached.\n\n" +
			"Example: `credential` = `email:main` gives `mailboxes` = `[\"Archive\",\"INBOX\",\"Sent\"]`.")
}

func (m mailer) mailboxes(ctx context.Context, in mailboxesIn) (mailboxesOut, error) {
	out := mailboxesOut{Mailboxes: []string{}}
	err := m.withInbox(ctx, in.Credential, func(client *imapclient.Client) error {
		listed, err := client.List("", "*", nil).Collect()
		for _, box := range listed {
			if !slices.Contains(box.Attrs, imap.MailboxAttrNoSelect) && !slices.Contains(box.Attrs, imap.MailboxAttrNonExistent) {
				out.Mailboxes = append(out.Mailboxes, strings.ToValidUTF8(box.Mailbox, "\uFFFD"))
			}
		}
		return err
	})
	if err != nil {
		return mailboxesOut{}, err
	}
	slices.Sort(out.Mailboxes)
	out.Count = len(out.Mailboxes)
	return out, nil
}

// mailboxChoices lists the mailboxes of the account in a node's config.
func (m mailer) mailboxChoices(ctx context.Context, _ string, config map[string]any) ([]node.Choice, error) {
	ref, ok := config["credential"].(value.Credential)
	if !ok {
		return nil, node.Errorf(node.CodeInvalidInput, "choose the account first")
	}
	out, err := m.mailboxes(ctx, mailboxesIn{Credential: ref})
	if err != nil {
		return nil, err
	}
	choices := make([]node.Choice, len(out.Mailboxes))
	for i, name := range out.Mailboxes {
		choices[i] = node.Choice{Value: name, Label: name}
	}
	return choices, nil
}
