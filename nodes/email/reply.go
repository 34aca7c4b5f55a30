package email

import (
	"context"
	"net/mail"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/eml"
)

type replyIn struct {
	Credential value.Credential `port:"credential" network:"email" doc:"The account, for example email:main."`
	ID         string           `port:"id" doc:"The message to answer, as email.fetch_emails named it."`
	Text       string           `port:"text" widget:"multiline" doc:"The answer as plain text."`
	HTML       string           `port:"html,optional" widget:"multiline" doc:"The answer as HTML, beside the text."`
	ReplyAll   bool             `port:"reply_all" default:"false" doc:"Whether all others who got the message get a copy of the answer."`
}

func (m mailer) replyNode() node.Node {
	return node.Func("email.reply_email", "Reply to email", m.reply).
		Once().
		Aliases("answer mail, respond", "antworten, mail beantworten").
		Example(map[string]any{"id": "INBOX;1;42"}).Doc(
		"Answers a message: it is found over IMAP and the answer sent over SMTP, to where its sender wants answers, under the same " +
			"subject and in the same thread. The message that is answered is not quoted. Answers say that a machine " +
			"wrote them, so that automatic replies do not answer each other.\n\n" +
			failureHelp +
			"Example: `credential` = `email:main`, `id` = `INBOX;1700000000;42`, `text` = `Thank you, we are on it.`").
		Timeout(transferTimeout)
}

func (m mailer) reply(ctx context.Context, in replyIn) (sendOut, error) {
	o, err := m.outbox(ctx, in.Credential)
	if err != nil {
		return sendOut{}, err
	}
	original, err := m.original(ctx, in)
	if err != nil {
		return report(ctx, nil, err)
	}
	d := draft{from: o.from, subject: answerSubject(original.Field("Subject")), text: in.Text, html: in.HTML, reply: true}
	d.thread = thread(original)
	d.to, d.cc = answerTo(original, []string{o.from.Address, o.login.user}, in.ReplyAll)
	return m.dispatch(ctx, o, d)
}

// original fetches the header of the message that is answered.
func (m mailer) original(ctx context.Context, in replyIn) (*eml.Letter, error) {
	id, err := parseID(in.ID)
	if err != nil {
		return nil, err
	}
	var l *eml.Letter
	err = m.withInbox(ctx, in.Credential, func(client *imapclient.Client) error {
		_, raw, err := fetchOne(client, id, true, &imap.FetchItemBodySection{Specifier: imap.PartSpecifierHeader})
		if err == nil {
			l, err = eml.Read(raw, nil)
		}
		return err
	})
	return l, err
}

// answerSubject returns the subject of a reply. The original subject is untrusted.
func answerSubject(subject string) string {
	subject = printable(subject)
	if len(subject) >= 3 && strings.EqualFold(subject[:3], "re:") {
		return subject
	}
	return "Re: " + subject
}

// longestThread bounds the ids in References. The first one and the last ones tell
// mail programs where a message belongs.
const longestThread = 20

// thread returns the ids for References, the oldest first (RFC 5322 section 3.6.4). It
// drops everything that is not a valid id, so that nothing can be injected into a header.
func thread(l *eml.Letter) []string {
	own := l.IDs("Message-Id")
	if len(own) == 0 {
		return nil
	}
	before := l.IDs("References")
	if len(before) == 0 {
		before = l.IDs("In-Reply-To")
	}
	if drop := len(before) - longestThread; drop > 0 {
		before = slices.Delete(before, 1, 1+drop)
	}
	return slices.DeleteFunc(append(before, own[0]), func(id string) bool { return hasControl(id) || strings.ContainsAny(id, " <>") })
}

// answerTo returns the recipients of a reply. own are the sender's addresses, which are left
// out; a reply to an own message goes to its recipients. Only if nobody else is left, the
// reply goes to the sender.
func answerTo(l *eml.Letter, own []string, all bool) (to, cc []*mail.Address) {
	seen := map[string]bool{}
	for _, address := range own {
		seen[strings.ToLower(address)] = true
	}
	others := func(header string) (list []*mail.Address) {
		for _, a := range l.Addresses(header) {
			if key := strings.ToLower(a.Address); !seen[key] {
				seen[key] = true
				list = append(list, a)
			}
		}
		return list
	}
	for _, header := range []string{"Reply-To", "From", "To"} {
		if to = others(header); len(to) > 0 {
			break
		}
	}
	if all {
		cc = append(others("To"), others("Cc")...)
	}
	if len(to)+len(cc) == 0 {
		to = l.Addresses("From")
	}
	return to, cc
}
