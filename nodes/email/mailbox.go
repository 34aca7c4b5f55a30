package email

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/eml"
)

// mailbox is one that is watched for new messages.
type mailbox struct {
	mailer

	credential           value.Credential
	name, query          string
	unreadOnly, markRead bool
	every                time.Duration
}

// mark is the stored state: the UID of the first message that has not fired yet, and the
// UIDVALIDITY of the mailbox.
type mark struct {
	Of       string   `json:"of"`
	Validity uint32   `json:"validity"`
	Next     imap.UID `json:"next"`
}

func (k *mark) text() []byte {
	text, _ := json.Marshal(k) // it has a text and numbers
	return text
}

type fireFunc = func([]node.Firing, []byte) error

const (
	// idleFor is how long a server may be silent before it is asked, since a connection may
	// break unnoticed.
	idleFor = 5 * time.Minute
	// perConnection is how many bytes of messages are read over one connection.
	perConnection = maxMessage
	// refusedFor is the pause after a refused login: servers lock out clients that try too
	// often.
	refusedFor = 10 * time.Minute
)

// run implements [node.Watch].
func (w *mailbox) run(ctx context.Context, _ time.Time, memory []byte, fire fireFunc) error {
	sum := sha256.Sum256([]byte(string(w.credential) + "\n" + w.name))
	k := mark{Of: "email " + base64.RawURLEncoding.EncodeToString(sum[:12])}
	var before mark
	if json.Unmarshal(memory, &before) == nil && before.Of == k.Of {
		k = before
	}
	for {
		again, err := w.session(ctx, &k, fire)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if known, ok := errors.AsType[*node.Error](err); ok && known.Code == node.CodeReauthorize {
			return &node.Error{Code: known.Code, Message: known.Message, RetryAfter: refusedFor, Err: err}
		}
		if err != nil {
			return err
		}
		if again {
			continue
		}
		select {
		case <-time.After(w.every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// session looks for new messages over one connection, as long as the server announces them.
// again reports that more messages wait.
func (w *mailbox) session(ctx context.Context, k *mark, fire fireFunc) (again bool, err error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	news := make(chan struct{}, 1)
	heard := func() {
		select {
		case news <- struct{}{}:
		default:
		}
	}
	slow := time.AfterFunc(transferTimeout, cancel)
	defer slow.Stop()
	err = w.withNews(inner, w.credential, heard, func(client *imapclient.Client) error {
		selected, err := openMailbox(client, w.name, !w.markRead)
		if err != nil {
			return err
		}
		if err := w.begin(client, k, selected, fire); err != nil {
			return err
		}
		for bytes := 0; ; {
			n, more, err := w.look(client, k, fire, func() { slow.Reset(transferTimeout) })
			if err != nil {
				return err
			}
			if bytes += n; bytes > perConnection {
				again = true
				return nil
			}
			if more {
				continue
			}
			if !client.Caps().Has(imap.CapIdle) {
				return nil
			}
			if err := w.idle(inner, client, news, slow); err != nil {
				return err
			}
		}
	})
	if ctx.Err() == nil && inner.Err() != nil {
		err = node.Errorf(node.CodeTimeout, "the mail server takes longer than %s to answer", transferTimeout)
	}
	return again, err
}

// begin stores the end of the mailbox as the mark, if there is no mark yet.
func (w *mailbox) begin(client *imapclient.Client, k *mark, selected *imap.SelectData, fire fireFunc) error {
	if k.Validity == selected.UIDValidity && k.Next > 0 {
		return nil
	}
	next := selected.UIDNext
	if next == 0 { // a server need not tell
		found, err := client.UIDSearch(&imap.SearchCriteria{}, nil).Wait()
		if err != nil {
			return err
		}
		for _, uid := range newest(found.All, 1) {
			next = uid
		}
		next++
	}
	k.Validity, k.Next = selected.UIDValidity, next
	return fire(nil, k.text())
}

// idle waits until the server says that something has changed, or has said nothing for long:
// what changes just before it listens, not every server says. slow ends the connection, unless
// it is stopped.
func (w *mailbox) idle(ctx context.Context, client *imapclient.Client, news <-chan struct{}, slow *time.Timer) error {
	cmd, err := client.Idle()
	if err != nil {
		return err
	}
	slow.Stop()
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	select {
	case <-news:
	case <-time.After(min(idleFor, w.every)):
	case <-ctx.Done():
	case err := <-over: // the connection is gone
		return errors.Join(err, cmd.Close())
	}
	slow.Reset(transferTimeout)
	err = cmd.Close()
	return errors.Join(err, <-over)
}

// look fires for new messages, the oldest first, and returns how many bytes they have, and
// whether there are more.
func (w *mailbox) look(client *imapclient.Client, k *mark, fire fireFunc, alive func()) (bytes int, more bool, err error) {
	came, err := client.UIDSearch(&imap.SearchCriteria{UID: []imap.UIDSet{{imap.UIDRange{Start: k.Next, Stop: 0}}}}, nil).Wait()
	if err != nil {
		return 0, false, err
	}
	last := newest(came.All, 1) // one that is known, if there is no new one: n:* always has the last
	if len(last) == 0 || last[0] < k.Next {
		return 0, false, nil
	}
	criteria := &imap.SearchCriteria{UID: []imap.UIDSet{{imap.UIDRange{Start: k.Next, Stop: last[0]}}}}
	if w.query != "" {
		criteria.Text = []string{w.query}
	}
	if w.unreadOnly {
		criteria.NotFlag = []imap.Flag{imap.FlagSeen}
	}
	found, err := client.UIDSearch(criteria, nil).Wait()
	if err != nil {
		return 0, false, err
	}
	uids := oldest(found.All, maxEmails)
	for _, uid := range uids {
		alive()
		n, err := w.tell(client, k, uid, fire)
		if err != nil {
			return bytes, false, err
		}
		if bytes += n; bytes > perConnection {
			return bytes, true, nil
		}
	}
	if len(uids) == maxEmails {
		return bytes, true, nil
	}
	if k.Next > last[0] {
		return bytes, false, nil
	}
	k.Next = last[0] + 1
	return bytes, false, fire(nil, k.text())
}

// oldest returns the limit lowest of the found UIDs, the lowest first.
func oldest(found imap.NumSet, limit int) []imap.UID {
	ranges, _ := found.(imap.UIDSet)
	var uids []imap.UID
	for _, r := range ranges {
		for uid := r.Start; uid <= r.Stop && uid > 0 && len(uids) < limit; uid++ {
			uids = append(uids, uid)
		}
	}
	return uids
}

// tell fires for a message, and marks it as read if the node asks for that.
func (w *mailbox) tell(client *imapclient.Client, k *mark, uid imap.UID, fire fireFunc) (bytes int, err error) {
	id := messageID{mailbox: w.name, validity: k.Validity, uid: uid}
	out, bytes, err := readWhole(client, id)
	if err != nil {
		return 0, err
	}
	k.Next = uid + 1
	var firings []node.Firing
	if out != nil {
		firings = []node.Firing{{Key: id.String(), Outputs: values(*out)}}
	}
	if err := fire(firings, k.text()); err != nil {
		return 0, err
	}
	if out == nil || !w.markRead {
		return bytes, nil
	}
	seen := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{imap.FlagSeen}}
	return bytes, client.Store(imap.UIDSetNum(uid), seen, nil).Close()
}

// readWhole reads a message, or only its headers if it is too large or cannot be parsed; nil
// if it was deleted.
func readWhole(client *imapclient.Client, id messageID) (out *eml.Out, bytes int, err error) {
	for _, part := range []imap.PartSpecifier{imap.PartSpecifierNone, imap.PartSpecifierHeader} {
		section := &imap.FetchItemBodySection{Specifier: part, Peek: true, Partial: &imap.SectionPartial{Size: maxMessage + 1}}
		fetched, err := client.Fetch(imap.UIDSetNum(id.uid), &imap.FetchOptions{
			UID: true, InternalDate: true, RFC822Size: true, BodySection: []*imap.FetchItemBodySection{section},
		}).Collect()
		if err != nil {
			return nil, 0, err
		}
		if len(fetched) == 0 {
			return nil, 0, nil
		}
		raw := fetched[0].FindBodySection(section)
		bytes += len(raw)
		if len(raw) > maxMessage {
			continue
		}
		if l, err := eml.Read(raw, nil); err == nil && l != nil {
			shown := l.Out(id.String(), timestamp(fetched[0].InternalDate))
			shown.Attachments, _ = storage{}.saveAll("", id, l.Attachments) // none is saved
			return &shown, bytes, nil
		}
	}
	return &eml.Out{ID: id.String(), Headers: map[string]any{}}, bytes, nil
}
