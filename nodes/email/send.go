package email

import (
	"context"
	"net/mail"

	gomail "github.com/wneessen/go-mail"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

type sendIn struct {
	Credential  value.Credential `port:"credential" network:"email" doc:"The account, for example email:main."`
	To          []string         `port:"to" doc:"The addressees, for example ann@example.com or Ann <ann@example.com>."`
	CC          []string         `port:"cc,optional" doc:"Recipients of a copy."`
	BCC         []string         `port:"bcc,optional" doc:"Recipients of a copy that the other recipients do not see."`
	Subject     string           `port:"subject" default:"" doc:"The subject, one line."`
	Text        string           `port:"text,optional" widget:"multiline" doc:"The message as plain text."`
	HTML        string           `port:"html,optional" widget:"multiline" doc:"The message as HTML, beside the text or instead of it."`
	Attachments []string         `port:"attachments,optional" widget:"file" doc:"Paths of files to attach, at most 20."`
}

type sendOut struct {
	MessageID *string `port:"message_id" doc:"The id of the message, for example <a@example.com>; null if it was not sent."`

	service.Outcome
}

// failureHelp is what the docs of nodes that send say about failures.
const failureHelp = "A message that was not sent fails the node, unless `success` or `error` is used: then they say so and the run goes on. An account that cannot be used " +
	"(`not_configured`, `unknown_credential`, `reauthorize`) and a timeout fail the node in any case. If the connection is lost after the " +
	"whole message was handed over, the outcome is unknown; the message is never sent again by itself.\n\n" +
	"At most 100 addresses and 25 MiB of texts and attachments per message; mail servers often take less. Mail servers also limit how many " +
	"messages an account may send a day: ask before you write to people who do not expect it.\n\n"

func (m mailer) sendNode() node.Node {
	return node.Func("email.send_email", "Send email", m.send).
		Once().
		Aliases("mail, smtp, write message, notify", "mail senden, nachricht, benachrichtigen").
		Example(map[string]any{"to": []any{"ann@example.com"}, "subject": "Report", "text": "Here it is."}).Doc(
		"Sends a message over SMTP. The sender is the account's own. With both `text` and `html` the reader's program chooses.\n\n" +
			failureHelp +
			"Example: `credential` = `email:main`, `to` = `[\"ann@example.com\"]`, `subject` = `Report`, `text` = `Here it is.`, " +
			"`attachments` = `[\"reports/today.pdf\"]`.").
		Timeout(transferTimeout)
}

func (m mailer) send(ctx context.Context, in sendIn) (sendOut, error) {
	o, err := m.outbox(ctx, in.Credential)
	if err != nil {
		return sendOut{}, err
	}
	d, err := in.draft(o.from)
	if err != nil {
		return report(ctx, nil, err)
	}
	return m.dispatch(ctx, o, d)
}

func (in sendIn) draft(from *mail.Address) (d draft, err error) {
	d = draft{from: from, subject: in.Subject, text: in.Text, html: in.HTML, attachments: in.Attachments}
	if d.to, err = addresses("to", in.To); err != nil {
		return d, err
	}
	if d.cc, err = addresses("cc", in.CC); err != nil {
		return d, err
	}
	d.bcc, err = addresses("bcc", in.BCC)
	return d, err
}

// outbox has what is needed to send mail for an account.
type outbox struct {
	login  login
	server server
	from   *mail.Address
}

// outbox returns the outbox of ref. Its errors fail the node.
func (m mailer) outbox(ctx context.Context, ref credentials.Ref) (o outbox, err error) {
	if o.server, err = m.settings.server(ref, smtpProtocol()); err != nil {
		return o, err
	}
	if o.login, err = m.login(ctx, ref); err != nil {
		return o, err
	}
	o.from, err = m.settings.sender(ref)
	return o, err
}

// dispatch sends a draft and reports.
func (m mailer) dispatch(ctx context.Context, o outbox, d draft) (sendOut, error) {
	m.files = m.files.in(ctx)
	msg, err := m.compose(d)
	if err == nil {
		err = m.deliver(ctx, o, msg)
	}
	return report(ctx, msg, err)
}

// report makes outputs of err, unless it has to fail the node.
func report(ctx context.Context, msg *gomail.Msg, err error) (sendOut, error) {
	outcome, err := service.Report(ctx, err)
	out := sendOut{Outcome: outcome}
	if outcome.Success {
		id := msg.GetMessageID()
		out.MessageID = &id
	}
	return out, err
}
