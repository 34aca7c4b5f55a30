package email

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/eml"
	"github.com/svcflow/svc/nodes/service"
)

type fetchIn struct {
	Credential value.Credential `port:"credential" network:"email" doc:"The account, for example email:main."`
	Mailbox    string           `port:"mailbox,choices" default:"INBOX" doc:"Name of the mailbox; email.get_mailboxes lists them."`
	Limit      int              `port:"limit" default:"10" doc:"How many messages at most, 1 to 500. The newest come first."`
	Query      string           `port:"query,optional" doc:"Only messages that have this text in their headers or body."`
	UnreadOnly bool             `port:"unread_only" default:"false" doc:"Only messages that nobody has read."`
	From       string           `port:"from,optional" doc:"Only messages whose sender has this text in name or address."`
	Subject    string           `port:"subject,optional" doc:"Only messages that have this text in their subject."`
	Since      string           `port:"since,optional" doc:"Only messages that arrived on this day or later, for example 2026-11-20."`
}

type summary struct {
	ID        string   `port:"id" doc:"What email.read_email and email.reply_email take."`
	From      string   `port:"from" doc:"The sender, for example Ann <ann@example.com>."`
	To        []string `port:"to" doc:"The addressees."`
	Subject   string   `port:"subject" doc:"The subject."`
	Snippet   string   `port:"snippet" doc:"The first 200 characters of the text."`
	Timestamp string   `port:"timestamp" doc:"When it arrived, for example 2026-11-20T10:00:00Z."`
	Unread    bool     `port:"unread" doc:"Whether nobody has read it."`
}

type fetchOut struct {
	Emails []summary `port:"emails" doc:"The messages, the newest first."`
	Count  int       `port:"count" doc:"How many there are in emails."`
}

func (m mailer) fetchNode() node.Node {
	return node.Func("email.fetch_emails", "Fetch emails", m.fetch).
		Choices(m.mailboxChoices).
		Aliases("inbox, imap, mail, list messages", "posteingang, mails abrufen, nachrichten").Doc(
		"Lists the newest messages of a mailbox over IMAP. They stay unread. All conditions have to be met; the server decides " +
			"how it compares text, usually without regard to case. `snippet` comes from the first 32 KiB of a message and is empty " +
			"where its text begins later.\n\n" +
			"Fails with `not_found` for a mailbox that does not exist, `not_configured` if the operator has not set the account up, " +
			"`reauthorize` if the server refuses the credential and `unavailable` if it cannot be reached.\n\n" +
			"Example: `credential` = `email:main`, `unread_only` = `true`, `query` = `invoice`.")
}

// maxEmails bounds limit.
const maxEmails = 500

func (m mailer) fetch(ctx context.Context, in fetchIn) (fetchOut, error) {
	criteria, err := in.criteria()
	if err != nil {
		return fetchOut{}, err
	}
	out := fetchOut{Emails: []summary{}}
	err = m.withInbox(ctx, in.Credential, func(client *imapclient.Client) error {
		validity, err := selectMailbox(client, in.Mailbox, true)
		if err != nil {
			return err
		}
		found, err := client.UIDSearch(criteria, nil).Wait()
		if err != nil {
			return err
		}
		out.Emails, err = summaries(client, in.Mailbox, validity, newest(found.All, in.Limit))
		return err
	})
	out.Count = len(out.Emails)
	return out, err
}

// criteria checks the inputs and makes a search of them.
func (in fetchIn) criteria() (*imap.SearchCriteria, error) {
	if in.Limit < 1 || in.Limit > maxEmails {
		return nil, node.Errorf(node.CodeInvalidInput, "limit is a number from 1 to %d", maxEmails)
	}
	var c imap.SearchCriteria
	if in.Query != "" {
		c.Text = []string{in.Query}
	}
	for _, field := range []imap.SearchCriteriaHeaderField{{Key: "From", Value: in.From}, {Key: "Subject", Value: in.Subject}} {
		if field.Value != "" {
			c.Header = append(c.Header, field)
		}
	}
	if hasControl(in.Query + in.From + in.Subject) {
		return nil, node.Errorf(node.CodeInvalidInput, "query, from and subject are one line of text each; remove line ends and control characters")
	}
	if in.UnreadOnly {
		c.NotFlag = []imap.Flag{imap.FlagSeen}
	}
	if day, _, _ := strings.Cut(in.Since, "T"); day != "" {
		var err error
		if c.Since, err = time.Parse(time.DateOnly, day); err != nil {
			return nil, node.Errorf(node.CodeInvalidInput, "since is no day such as 2026-11-20")
		}
	}
	return &c, nil
}

// selectMailbox opens a mailbox and returns its validity.
func selectMailbox(client *imapclient.Client, name string, readOnly bool) (validity uint32, err error) {
	selected, err := openMailbox(client, name, readOnly)
	if err != nil {
		return 0, err
	}
	return selected.UIDValidity, nil
}

// openMailbox opens a mailbox and returns what the server says of it.
func openMailbox(client *imapclient.Client, name string, readOnly bool) (*imap.SelectData, error) {
	if name == "" || hasControl(name) {
		return nil, node.Errorf(node.CodeInvalidInput, "the name of the mailbox is empty or has control characters")
	}
	selected, err := client.Select(name, &imap.SelectOptions{ReadOnly: readOnly}).Wait()
	if answer, ok := asAnswer(err); ok && !isTemporary(answer) {
		return nil, permanent(service.CodeNotFound, "there is no mailbox %q that can be opened; email.get_mailboxes lists all (%s)", name, oneLine(answer.Text))
	}
	return selected, err
}

// newest returns the limit highest of the found UIDs, the highest first. It never
// writes out more of a range than that.
func newest(found imap.NumSet, limit int) []imap.UID {
	ranges, _ := found.(imap.UIDSet)
	var uids []imap.UID
	for _, r := range slices.Backward(ranges) {
		for uid := r.Stop; uid >= r.Start && uid > 0 && len(uids) < limit; uid-- {
			uids = append(uids, uid)
		}
	}
	return uids
}

// summaryBytes is how much of each message is fetched for its summary.
const summaryBytes = 32 << 10

// summaries fetches the beginnings of messages. One that has been deleted
// meanwhile is left out.
func summaries(client *imapclient.Client, mailbox string, validity uint32, uids []imap.UID) ([]summary, error) {
	all := []summary{}
	if len(uids) == 0 {
		return all, nil
	}
	section := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Size: summaryBytes}}
	fetched, err := client.Fetch(imap.UIDSetNum(uids...), &imap.FetchOptions{
		UID: true, Flags: true, InternalDate: true, BodySection: []*imap.FetchItemBodySection{section},
	}).Collect()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(fetched, func(a, b *imapclient.FetchMessageBuffer) int { return int(b.UID) - int(a.UID) })
	for _, msg := range fetched {
		// What is beyond the limits of a letter is not needed for its summary.
		if l, _ := eml.Read(msg.FindBodySection(section), nil); l != nil {
			id := messageID{mailbox: mailbox, validity: validity, uid: msg.UID}
			all = append(all, summarized(l, id, msg))
		}
	}
	return all, nil
}

func summarized(l *eml.Letter, id messageID, msg *imapclient.FetchMessageBuffer) summary {
	return summary{
		ID: id.String(), From: strings.Join(l.Shown("From"), ", "), To: l.Shown("To"), Subject: l.Field("Subject"),
		Snippet: l.Snippet(), Timestamp: timestamp(msg.InternalDate), Unread: !slices.Contains(msg.Flags, imap.FlagSeen),
	}
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
