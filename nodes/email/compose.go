package email

import (
	"bytes"
	"net/mail"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"
	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"github.com/svcflow/svc/engine/node"
)

// draft is a message before it is written.
type draft struct {
	from        *mail.Address
	to, cc, bcc []*mail.Address
	subject     string
	text, html  string
	attachments []string // paths
	thread      []string // ids of the messages before it, the oldest first; empty unless it is a reply
	reply       bool
}

// The bounds of a message.
const (
	maxRecipients  = 100
	maxAttachments = 20
)

// compose checks a draft and makes a message of it, with a new id.
func (m mailer) compose(d draft) (*gomail.Msg, error) {
	if n := len(d.to) + len(d.cc) + len(d.bcc); n == 0 || n > maxRecipients {
		return nil, node.Errorf(node.CodeInvalidInput, "a message goes to 1 to %d addresses; this one has %d", maxRecipients, n)
	}
	if hasControl(d.subject) {
		return nil, node.Errorf(node.CodeInvalidInput, "the subject has a line end or control character; remove it")
	}
	if d.text == "" && d.html == "" && len(d.attachments) == 0 {
		return nil, node.Errorf(node.CodeInvalidInput, "the message is empty; give it a text, html or an attachment")
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(d.from)
	msg.ToMailAddress(d.to...)
	msg.CcMailAddress(d.cc...)
	msg.BccMailAddress(d.bcc...)
	msg.Subject(d.subject)
	msg.SetDate()
	msg.SetMessageIDWithValue(uuid.NewString() + "@" + domainOf(d.from))
	if d.reply {
		d.setThread(msg)
	}
	return msg, m.setContent(msg, d)
}

// setThread makes the message a reply (RFC 5322 section 3.6.4), and marks it as automatic,
// so that no other machine answers it (RFC 3834 section 5).
func (d draft) setThread(msg *gomail.Msg) {
	msg.SetGenHeader("Auto-Submitted", "auto-replied")
	if len(d.thread) == 0 {
		return
	}
	ids := make([]string, len(d.thread))
	for i, id := range d.thread {
		ids[i] = "<" + id + ">"
	}
	msg.SetGenHeader(gomail.HeaderInReplyTo, ids[len(ids)-1])
	msg.SetGenHeaderPreformatted(gomail.HeaderReferences, strings.Join(ids, "\r\n "))
}

// setContent adds texts and attachments.
func (m mailer) setContent(msg *gomail.Msg, d draft) error {
	left := maxMessage - len(d.text) - len(d.html)
	if left < 0 {
		return tooHeavy()
	}
	if d.text != "" || d.html == "" {
		msg.SetBodyString(gomail.TypeTextPlain, d.text)
	}
	switch {
	case d.html != "" && d.text != "":
		msg.AddAlternativeString(gomail.TypeTextHTML, d.html)
	case d.html != "":
		msg.SetBodyString(gomail.TypeTextHTML, d.html)
	}
	if len(d.attachments) > maxAttachments {
		return node.Errorf(node.CodeInvalidInput, "a message takes at most %d attachments", maxAttachments)
	}
	for _, name := range d.attachments {
		data, err := m.files.load(name, left)
		if err != nil {
			return err
		}
		left -= len(data)
		if hasControl(path.Base(name)) {
			return node.Errorf(node.CodeInvalidInput, "the name of the attachment %q has control characters; rename the file", name)
		}
		msg.AttachReadSeeker(path.Base(name), bytes.NewReader(data))
	}
	return nil
}

func tooHeavy() error {
	return permanent(node.CodeLimitExceeded, "texts and attachments together may take %d MiB at most", maxMessage>>20)
}

// addresses reads the value of port: texts with one or more addresses each.
func addresses(port string, texts []string) ([]*mail.Address, error) {
	var all []*mail.Address
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		list, err := mail.ParseAddressList(text)
		if err != nil || slices.ContainsFunc(list, func(a *mail.Address) bool { return hasControl(a.Name) }) {
			return nil, node.Errorf(node.CodeInvalidInput,
				"%s: %q is no address; write name@example.com or Name <name@example.com>, with commas between several", port, text)
		}
		all = append(all, list...)
	}
	for _, a := range all {
		if err := useASCII(a); err != nil {
			return nil, node.Errorf(node.CodeInvalidInput, "%s: %q is no name of a mail domain", port, domainOf(a))
		}
	}
	return all, nil
}

// useASCII writes the domain of an address in its ASCII form (RFC 5891).
func useASCII(a *mail.Address) error {
	domain := domainOf(a)
	ascii, err := idna.Lookup.ToASCII(domain)
	a.Address = strings.TrimSuffix(a.Address, domain) + ascii
	return err
}

// domainOf returns the part after the last @ of an address. A quoted local part may hold
// others.
func domainOf(a *mail.Address) string { return a.Address[strings.LastIndexByte(a.Address, '@')+1:] }
