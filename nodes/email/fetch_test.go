package email_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestFetch(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", "From: Bob <bob@example.com>\nTo: Ann <ann@example.com>, carl@example.com\nSubject: first\n\nHello\n  there", imap.FlagSeen)
	p.put(t, "INBOX", "From: =?ISO-8859-1?Q?J=F6rg?= <joerg@example.com>\nSubject: =?UTF-8?B?R3LDvMOfZQ==?=\n"+
		"Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n<style>p{}</style><p>sch=F6n</p><p>&amp; gut</p>")
	d := newDesk(t, p)
	out := d.exec(t, "email.fetch_emails", record{})
	require.Equal(t, 2, out["count"])
	emails := out["emails"].([]any)
	second, first := emails[0].(record), emails[1].(record)
	require.Regexp(t, `^INBOX;\d+;2$`, second["id"])
	require.Equal(t, "Jörg <joerg@example.com>", second["from"])
	require.Equal(t, "Grüße", second["subject"])
	require.Equal(t, "schön & gut", second["snippet"])
	require.Equal(t, true, second["unread"])
	require.Equal(t, []any{}, second["to"])
	require.Equal(t, []any{"Ann <ann@example.com>", "carl@example.com"}, first["to"])
	require.Equal(t, "Hello there", first["snippet"])
	require.Equal(t, "2026-11-20T10:00:00Z", first["timestamp"])
	require.Equal(t, false, first["unread"])

	again := d.exec(t, "email.fetch_emails", record{})
	require.Equal(t, out, again, "to look at messages does not make them read")
}

func TestFetchConditions(t *testing.T) {
	p := newProvider(t, plain)
	require.NoError(t, p.user.Create("Work; old", nil))
	p.put(t, "INBOX", "From: Bob <bob@example.com>\nSubject: invoice 1\n\none", imap.FlagSeen)
	p.put(t, "INBOX", "From: Carl <carl@example.com>\nSubject: invoice 2\n\ntwo")
	p.put(t, "INBOX", "From: Bob <bob@example.com>\nSubject: party\n\nthe invoice is größer")
	p.put(t, "Work; old", "Subject: old\n\nx")
	tests := []struct {
		name   string
		inputs record
		want   []string
	}{
		{"all, the newest first", record{}, []string{"party", "invoice 2", "invoice 1"}},
		{"limit", record{"limit": 2}, []string{"party", "invoice 2"}},
		{"unread", record{"unread_only": true}, []string{"party", "invoice 2"}},
		{"query", record{"query": "INVOICE"}, []string{"party", "invoice 2", "invoice 1"}},
		{"query beyond ASCII", record{"query": "größer"}, []string{"party"}},
		{"query with quotes", record{"query": `") ALL (`}, nil},
		{"subject", record{"subject": "invoice"}, []string{"invoice 2", "invoice 1"}},
		{"from", record{"from": "bob@"}, []string{"party", "invoice 1"}},
		{"together", record{"from": "bob", "subject": "invoice", "unread_only": true}, nil},
		{"since", record{"since": "2026-11-20T23:00:00Z"}, []string{"party", "invoice 2", "invoice 1"}},
		{"since later", record{"since": "2026-11-21"}, nil},
		{"mailbox", record{"mailbox": "Work; old"}, []string{"old"}},
	}
	d := newDesk(t, p)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range d.exec(t, "email.fetch_emails", tt.inputs)["emails"].([]any) {
				got = append(got, e.(record)["subject"].(string))
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestFetchFailures(t *testing.T) {
	d := newDesk(t, newProvider(t, plain))
	tests := []struct {
		inputs record
		code   string
	}{
		{record{"limit": 0}, "invalid_input"},
		{record{"limit": 501}, "invalid_input"},
		{record{"since": "yesterday"}, "invalid_input"},
		{record{"query": "a\r\nb"}, "invalid_input"},
		{record{"mailbox": ""}, "invalid_input"},
		{record{"mailbox": "a\r\nb"}, "invalid_input"},
		{record{"mailbox": "None"}, "not_found"},
	}
	for _, tt := range tests {
		err := d.failure(t, "email.fetch_emails", tt.inputs)
		require.Equal(t, tt.code, node.CodeOf(err), "%v: %v", tt.inputs, err)
		require.True(t, node.IsPermanent(err))
	}
}

func TestFetchManyLongMessages(t *testing.T) {
	p := newProvider(t, plain)
	for i := range 60 {
		p.put(t, "INBOX", fmt.Sprintf("Subject: %d\n\n%s", i, strings.Repeat("word ", 20_000)))
	}
	out := newDesk(t, p).exec(t, "email.fetch_emails", record{"limit": 50})
	require.Equal(t, 50, out["count"])
	newest := out["emails"].([]any)[0].(record)
	require.Equal(t, "59", newest["subject"])
	require.Len(t, newest["snippet"], 200)
}

func TestMailboxes(t *testing.T) {
	p := newProvider(t, plain)
	for _, name := range []string{"Würste", "Archive", "a&b"} {
		require.NoError(t, p.user.Create(name, nil))
	}
	out := newDesk(t, p).exec(t, "email.get_mailboxes", record{})
	require.Equal(t, record{"mailboxes": []any{"Archive", "INBOX", "Würste", "a&b"}, "count": 4}, out)
}

// readStages are the client's commands while it fetches mail, in order.
func readStages() []string { return []string{"", "AUTHENTICATE", "EXAMINE", "SEARCH", "FETCH"} }

func TestALostConnectionFailsTheNode(t *testing.T) {
	for _, stage := range readStages() {
		t.Run(strings.TrimSpace("at "+stage), func(t *testing.T) {
			p := newProvider(t, plain)
			p.put(t, "INBOX", "Subject: a\n\nb")
			d := newDesk(t, p)
			address, _ := cut(t, p.imap, stage, false)
			d.variables["EMAIL_IMAP_URL"] = "imap://" + address + "?tls=none"
			err := d.failure(t, "email.fetch_emails", record{})
			require.Equal(t, "unavailable", node.CodeOf(err), "%v", err)
			require.False(t, node.IsPermanent(err))
		})
	}
}

func TestASilentMailboxIsLeftWhenTimeIsUp(t *testing.T) {
	for _, stage := range readStages() {
		t.Run(strings.TrimSpace("at "+stage), func(t *testing.T) {
			p := newProvider(t, plain)
			p.put(t, "INBOX", "Subject: a\n\nb")
			d := newDesk(t, p)
			address, stuck := cut(t, p.imap, stage, true)
			d.variables["EMAIL_IMAP_URL"] = "imap://" + address + "?tls=none"
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { <-stuck; cancel() }()
			_, err := d.ExecContext(ctx, "email.fetch_emails", nil, record{"credential": account})
			require.ErrorIs(t, err, context.Canceled)
		})
	}
	require.Eventually(t, func() bool {
		stacks := make([]byte, 1<<20)
		return !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "imapclient")
	}, time.Minute, 10*time.Millisecond, "goroutines are left")
}
