package email

import (
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/eml"
)

// The bounds of every.
const (
	shortestEvery = 10 * time.Second
	longestEvery  = 24 * time.Hour
)

func (m mailer) triggerNode() node.Node {
	setting := func(p node.Port) node.Port {
		p.Literal = true
		return p
	}
	return node.Node{
		Spec: node.Spec{
			Type: "trigger.email", Label: "Email", Role: node.RoleTrigger, Inline: true,
			Aliases: node.Words("new mail, imap, inbox, incoming message", "neue mail, posteingang, eingehende nachricht"),
			Card:    node.Card{Shape: "card", Color: "#B45309", Icon: "mail"},
			Description: "Starts the workflow for each mail that comes into a mailbox, once it is active. It puts out what `email.read_email` does.\n\n" +
				"Example: with `credential` = `email:main` and `query` = `invoice` it fires for each new mail that has the word in it.\n\n" +
				"A server that can (IDLE) tells at once that a mail has come; all are asked each `every`. What is in the mailbox when the workflow becomes active is " +
				"not new; what comes while no server of Svc runs is found at its next start. If the mail server numbers the mailbox anew, what is in it then is not new. " +
				"Attachments are listed and not saved: `email.read_email` saves them. Of a mail over 25 MiB, only the headers are there.",
			Inputs: []node.Port{
				setting(node.Port{Name: "credential", Type: value.CredentialType(), Networks: []string{group}, Description: "The account, for example email:main."}),
				setting(node.Port{Name: "mailbox", Type: value.String(), Default: "INBOX", Description: "Name of the mailbox; email.get_mailboxes lists them."}),
				setting(node.Port{Name: "query", Type: value.String(), Optional: true, Description: "Only mails that have this text in their headers or body."}),
				setting(node.Port{Name: "unreadOnly", Type: value.Bool(), Default: true, Description: "Only mails that nobody has read when they are found."}),
				setting(node.Port{Name: "markRead", Type: value.Bool(), Default: false, Description: "Whether a mail counts as read once it has fired."}),
				setting(node.Port{Name: "every", Type: value.String(), Default: "1m", Description: "How often the server is asked, whatever it tells by itself: 10s to 24h."}),
			},
			Outputs: m.readNode().Spec.Outputs,
		},
		Bind: m.bindTrigger,
	}
}

func (m mailer) bindTrigger(b node.Binding) (node.Bound, []node.Problem) {
	w := &mailbox{mailer: m}
	var problems []node.Problem
	w.credential, _ = b.Config["credential"].(value.Credential)
	w.name, _ = b.Config["mailbox"].(string)
	w.query, _ = b.Config["query"].(string)
	w.unreadOnly, _ = b.Config["unreadOnly"].(bool)
	w.markRead, _ = b.Config["markRead"].(bool)
	if w.name == "" || hasControl(w.name) {
		problems = append(problems, node.Invalid("mailbox", "the name of the mailbox is empty or has control characters"))
	}
	if hasControl(w.query) {
		problems = append(problems, node.Invalid("query", "it is one line of text; remove line ends and control characters"))
	}
	text, _ := b.Config["every"].(string)
	var err error
	if w.every, err = time.ParseDuration(text); err != nil || w.every < shortestEvery || w.every > longestEvery {
		problems = append(problems, node.Invalid("every", "write a distance in time from 10s to 24h, such as 30s, 1m or 2h"))
	}
	sample := eml.Out{ID: "INBOX;1;1", To: []string{}, CC: []string{}, Headers: map[string]any{}, Attachments: []eml.Described{}}
	return node.Bound{
		Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Source: node.Watch{Run: w.run},
		Sample: func(now time.Time) map[string]any {
			sample.Timestamp = timestamp(now)
			return values(sample)
		},
	}, problems
}

// values returns the outputs for a message.
func values(r eml.Out) map[string]any {
	texts := func(list []string) []any {
		all := make([]any, len(list))
		for i, text := range list {
			all[i] = text
		}
		return all
	}
	attachments := []any{}
	for _, a := range r.Attachments {
		attachments = append(attachments, map[string]any{"filename": a.Filename, "mime": a.MIME, "bytes": a.Bytes, "path": nil})
	}
	return map[string]any{
		"id": r.ID, "from": r.From, "to": texts(r.To), "cc": texts(r.CC), "subject": r.Subject, "timestamp": r.Timestamp,
		"message_id": r.MessageID, "headers": r.Headers, "text": r.Text, "html": r.HTML, "attachments": attachments,
	}
}
