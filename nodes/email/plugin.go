// Package email holds the nodes for mailboxes: they read mail over IMAP and send
// it over SMTP.
//
// Which servers belong to an account is set by the operator of the installation,
// in variables (see [New]); the account's password or access token is a credential
// such as email:main. A workflow chooses neither server nor sender, so a secret
// goes only where the operator sends it.
//
// Every call of a node opens a connection and closes it, since an idle connection may have
// broken unnoticed.
package email

import (
	"crypto/tls"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// group is the name of the plugin and of its network, the first part of the references
// to accounts.
const group = "email"

// Config gives the nodes their access. A nil field gives none, so the zero Config is enough
// to list the node types.
type Config struct {
	// Credentials is the source of passwords and access tokens.
	Credentials credentials.Provider
	// Getenv returns the value of one of the operator's variables, or nothing. It
	// is not how workflows read variables.
	Getenv func(name string) string
	// Files is where attachments are read and written.
	Files Files
	// TLS says which certificates to trust; nil means those that the system
	// trusts. It is not changed.
	TLS *tls.Config
}

// New returns the six nodes of group email. They read these variables each time
// they are called, for the account main first the one in the right column:
//
//	EMAIL_IMAP_URL  EMAIL_MAIN_IMAP_URL  where mail is read: imaps://imap.example.com
//	EMAIL_SMTP_URL  EMAIL_MAIN_SMTP_URL  where mail is sent: smtps://smtp.example.com
//	EMAIL_USER      EMAIL_MAIN_USER      the name to log in with
//	EMAIL_FROM      EMAIL_MAIN_FROM      the sender: Ann <ann@example.com>; by default the user
//	EMAIL_AUTH      EMAIL_MAIN_AUTH      what the credential is: password (the default) or xoauth2
//
// imaps and smtps begin with TLS (ports 993 and 465), imap and smtp have to switch
// to it by STARTTLS (ports 143 and 587). Only a server on a loopback address can be
// used without, by ?tls=none behind its address.
func New(c Config) node.Plugin {
	m := mailer{
		settings: settings{c.Getenv},
		secrets:  service.Resolver{Provider: c.Credentials},
		files:    storage{files: c.Files},
		tls:      c.TLS,
	}
	return node.Bundle{
		Name:     group,
		Category: "Email",
		Card:     node.Card{Shape: "circle", Size: 64, Color: "#B45309", Icon: "mail"},
		Nodes:    []node.Node{m.fetchNode(), m.readNode(), m.sendNode(), m.replyNode(), m.mailboxesNode(), m.triggerNode()},
	}
}

// mailer carries the nodes.
type mailer struct {
	settings settings
	secrets  service.Resolver
	files    storage
	tls      *tls.Config
}

// transferTimeout is how long the nodes that move whole messages may take.
const transferTimeout = 2 * time.Minute

// maxMessage bounds a message, in bytes: as it is read, and all content of one that is sent.
const maxMessage = 25 << 20

// permanent returns an error that another attempt will not change.
func permanent(code, format string, args ...any) error {
	err := node.Errorf(code, format, args...)
	err.Permanent = true
	return err
}
