package email_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

// postbox watches a mailbox as the service does, and stores the state of the trigger.
type postbox struct {
	t      *testing.T
	source node.Watch

	mu     sync.Mutex
	told   []record
	keys   map[string]bool
	memory []byte
	full   bool // firings are refused
	errs   []error
	stop   func()
}

func newPostbox(t *testing.T, d *desk, config record) *postbox {
	t.Helper()
	config["credential"] = account
	source, err := d.Source("trigger.email", config)
	require.NoError(t, err)
	b := &postbox{t: t, source: source.(node.Watch), keys: map[string]bool{}}
	t.Cleanup(func() { b.close() })
	return b
}

func (b *postbox) open() {
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			b.mu.Lock()
			memory := b.memory
			b.mu.Unlock()
			err := b.source.Run(ctx, time.Now(), memory, b.fire)
			b.mu.Lock()
			b.errs = append(b.errs, err)
			b.mu.Unlock()
		}
	}()
	b.stop = func() { cancel(); <-over }
	b.until(func() bool { return b.memory != nil })
}

func (b *postbox) close() {
	if b.stop != nil {
		b.stop()
		b.stop = nil
	}
}

func (b *postbox) fire(firings []node.Firing, memory []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full && len(firings) > 0 {
		return errors.New("full")
	}
	for _, f := range firings {
		if !b.keys[f.Key] {
			b.keys[f.Key] = true
			b.told = append(b.told, f.Outputs)
		}
	}
	b.memory = memory
	return nil
}

func (b *postbox) set(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *postbox) until(f func() bool) {
	b.t.Helper()
	defer func() {
		if b.t.Failed() {
			b.t.Logf("told %d, remembers %s, failed with %v", len(b.told), b.memory, b.errs)
		}
	}()
	require.Eventually(b.t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return f()
	}, time.Minute, 10*time.Millisecond)
}

// tells waits until the trigger has fired for exactly these subjects, in order.
func (b *postbox) tells(subjects ...any) []record {
	b.t.Helper()
	b.until(func() bool { return len(b.told) >= len(subjects) })
	b.mu.Lock()
	defer b.mu.Unlock()
	told := b.told
	b.told = nil
	var got []any
	for _, out := range told {
		got = append(got, out["subject"])
	}
	require.Equal(b.t, subjects, got)
	return told
}

func letterOf(subject string) string {
	return "From: Bob <bob@example.com>\nTo: ann@example.com\nMessage-Id: <" + subject + "@x>\nSubject: " + subject + "\n\nHello, " + subject + ".\n"
}

func TestMailsFire(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	put := func(subject string, flags ...imap.Flag) { p.put(t, "INBOX", letterOf(subject), flags...) }
	put("old")
	b := newPostbox(t, d, record{"markRead": true, "every": "10s"})
	b.open()
	put("one")
	told := b.tells("one")[0]
	require.Equal(t, "Bob <bob@example.com>", told["from"])
	require.Equal(t, []any{"ann@example.com"}, told["to"])
	require.Equal(t, "Hello, one.", strings.TrimSpace(told["text"].(string)))
	require.Equal(t, "<one@x>", told["message_id"])
	require.Empty(t, told["attachments"])
	same := d.exec(t, "email.read_email", record{"id": told["id"]})
	require.Equal(t, same, told, "it is what the node gives")
	require.Eventually(t, func() bool {
		return d.exec(t, "email.fetch_emails", record{"unread_only": true})["count"] == 1
	}, time.Minute, 10*time.Millisecond, "it is read then, and the old one is not")

	// Mail that arrives while nothing watches is found later. Mail that was read before is
	// not new.
	b.close()
	put("two")
	put("read", imap.FlagSeen)
	put("three")
	b.open()
	b.tells("two", "three")

	// A firing that was refused is repeated.
	b.set(func() { b.full = true })
	put("four")
	b.until(func() bool { return len(b.errs) > 1 && b.errs[len(b.errs)-1] != nil })
	b.set(func() { b.full = false })
	b.tells("four")

	// After the mailbox's UIDs are renumbered, nothing is new.
	b.close()
	require.NoError(t, p.user.Delete("INBOX"))
	require.NoError(t, p.user.Create("INBOX", nil))
	put("again")
	before := string(b.memory)
	b.open()
	b.until(func() bool { return string(b.memory) != before })
	put("five")
	b.tells("five")
}

func TestMailsThatAreWanted(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	b := newPostbox(t, d, record{"query": "invoice", "unreadOnly": false, "every": "10s"})
	b.open()
	p.put(t, "INBOX", letterOf("offer"))
	p.put(t, "INBOX", letterOf("invoice 1"), imap.FlagSeen)
	b.tells("invoice 1")
	b.close()
	for i := range 1100 {
		p.put(t, "INBOX", letterOf(fmt.Sprint("invoice ", i+2)))
	}
	b.open()
	b.until(func() bool { return len(b.told) == 1100 })
	require.Equal(t, "invoice 1101", b.told[1099]["subject"])
}

func TestMailboxesThatCannotBeWatched(t *testing.T) {
	p := newProvider(t, plain)
	d := newDesk(t, p)
	b := newPostbox(t, d, record{"mailbox": "Nowhere"})
	err := b.source.Run(t.Context(), time.Now(), nil, b.fire)
	require.Equal(t, "not_found", node.CodeOf(err))
	wrong := newDeskWith(t, p, "wrong", nil)
	err = newPostbox(t, wrong, record{}).source.Run(t.Context(), time.Now(), nil, b.fire)
	require.Equal(t, node.CodeReauthorize, node.CodeOf(err))
	require.Equal(t, 10*time.Minute, node.RetryAfter(err), "a client that logs in too often is locked out")
	for _, config := range []record{{"every": "1s"}, {"every": "often"}, {"mailbox": ""}, {"query": "a\nb"}} {
		config["credential"] = account
		require.Len(t, d.Problems("trigger.email", config), 1, config)
	}
}
