package email_test

import (
	"net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReply(t *testing.T) {
	const thread = "Message-ID: <m3@example.com>\nReferences: <m1@example.com>\n <m2@example.com>\n"
	tests := []struct {
		name, message string
		all           bool
		to            []string
		subject       string
		references    string
	}{
		{
			"to the sender", "From: bob@example.com\nTo: ann@example.com, carl@example.com\nSubject: Hi\n" + thread, false,
			[]string{"bob@example.com"},
			"Re: Hi", "<m1@example.com> <m2@example.com> <m3@example.com>",
		},
		{
			"where the sender wants it", "From: bob@example.com\nReply-To: list@example.com\nSubject: RE: Hi\n" + thread, false,
			[]string{"list@example.com"},
			"RE: Hi", "<m1@example.com> <m2@example.com> <m3@example.com>",
		},
		{
			"to all, each once and not to oneself", "From: bob@example.com\nTo: Ann <ANN@example.com>, carl@example.com\nCc: Bob@example.com, dora@example.com\nSubject: Hi\n" + thread, true,
			[]string{"bob@example.com", "carl@example.com", "dora@example.com"},
			"Re: Hi", "<m1@example.com> <m2@example.com> <m3@example.com>",
		},
		{
			"to one's own message", "From: ann@example.com\nTo: carl@example.com\nSubject: Hi\n" + thread, false,
			[]string{"carl@example.com"},
			"Re: Hi", "<m1@example.com> <m2@example.com> <m3@example.com>",
		},
		{
			"to oneself", "From: ann@example.com\nTo: ann@example.com\nSubject: Hi\n" + thread, true,
			[]string{"ann@example.com"},
			"Re: Hi", "<m1@example.com> <m2@example.com> <m3@example.com>",
		},
		{
			"without References", "From: bob@example.com\nMessage-ID: <m2@example.com>\nIn-Reply-To: <m1@example.com>\nSubject: Hi\n", false,
			[]string{"bob@example.com"},
			"Re: Hi", "<m1@example.com> <m2@example.com>",
		},
		{"without an id", "From: bob@example.com\nSubject: Hi\n", false, []string{"bob@example.com"}, "Re: Hi", ""},
		{
			"a subject that hides a line end", "From: bob@example.com\nSubject: =?UTF-8?Q?Hi=0D=0ABcc:_eve@example.com?=\n" + thread, false,
			[]string{"bob@example.com"},
			"Re: Hi Bcc: eve@example.com", "<m1@example.com> <m2@example.com> <m3@example.com>",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProvider(t, plain)
			p.put(t, "INBOX", tt.message+"\ntext")
			d := newDesk(t, p)
			out := d.exec(t, "email.reply_email", record{"id": firstID(t, d), "text": "Danke für alles", "reply_all": tt.all})
			require.Equal(t, true, out["success"], out["error"])
			recipients, messages := p.taken()
			require.Equal(t, [][]string{tt.to}, recipients)
			header := headerOf(t, messages[0])
			require.Equal(t, tt.subject, header.Get("Subject"))
			ids := strings.Fields(tt.references)
			require.Equal(t, ids, strings.Fields(header.Get("References")))
			if len(ids) > 0 {
				require.Equal(t, ids[len(ids)-1], header.Get("In-Reply-To"))
			} else {
				require.NotContains(t, header, "In-Reply-To")
			}
			require.Equal(t, "auto-replied", header.Get("Auto-Submitted"))
			require.Equal(t, out["message_id"], header.Get("Message-Id"))
			require.NotContains(t, header, "Bcc")
		})
	}
}

func TestReplyIsNotFooledByAName(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", "From: =?UTF-8?Q?Bob=22_=3Ceve=40example.com=3E=2C=0D=0ABcc=3A_eve?= <bob@example.com>\nMessage-ID: <a@b>\n\ntext")
	d := newDesk(t, p)
	out := d.exec(t, "email.reply_email", record{"id": firstID(t, d), "text": "x"})
	require.Equal(t, true, out["success"], out["error"])
	recipients, messages := p.taken()
	require.Equal(t, [][]string{{"bob@example.com"}}, recipients)
	header := headerOf(t, messages[0])
	require.NotContains(t, header, "Bcc")
	to, err := header.AddressList("To")
	require.NoError(t, err)
	require.Len(t, to, 1)
	require.Equal(t, "bob@example.com", to[0].Address)
}

func TestReplyToALongThread(t *testing.T) {
	var before strings.Builder
	for range 50 {
		before.WriteString(" <" + strings.Repeat("m", 200) + "@example.com>\n")
	}
	p := newProvider(t, plain)
	p.put(t, "INBOX", "From: bob@example.com\nMessage-ID: <last@example.com>\nReferences: <first@example.com>\n"+before.String()+"\ntext")
	d := newDesk(t, p)
	out := d.exec(t, "email.reply_email", record{"id": firstID(t, d), "text": "x"})
	require.Equal(t, true, out["success"], out["error"])
	_, messages := p.taken()
	header := headerOf(t, messages[0])
	ids := strings.Fields(header.Get("References"))
	require.Len(t, ids, 21)
	require.Equal(t, "<first@example.com>", ids[0])
	require.Equal(t, "<last@example.com>", ids[20])
}

func TestReplyThatCannotBeSentIsReported(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", "Subject: nobody to answer\n\ntext")
	p.put(t, "INBOX", "From: undisclosed\nTo: ann@example.com\n\ntext")
	d := newDesk(t, p)
	for _, e := range append(d.exec(t, "email.fetch_emails", record{})["emails"].([]any), record{"id": "INBOX;999;1"}, record{"id": "x"}) {
		out := d.exec(t, "email.reply_email", record{"id": e.(record)["id"], "text": "x"})
		require.Equal(t, false, out["success"])
		require.NotEmpty(t, out["error"])
	}
	_, messages := p.taken()
	require.Empty(t, messages)
}

func TestReplyIsAMessageThatCanBeAnswered(t *testing.T) {
	p := newProvider(t, plain)
	p.put(t, "INBOX", "From: =?UTF-8?Q?B=C3=B6b?= <bob@example.com>\nMessage-ID: <m1@example.com>\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\n\ntext")
	d := newDesk(t, p)
	first := d.exec(t, "email.reply_email", record{"id": firstID(t, d), "text": "eins", "html": "<p>eins</p>"})
	second := d.exec(t, "email.reply_email", record{"id": firstID(t, d), "text": "zwei"})
	require.Equal(t, true, second["success"], second["error"])
	_, messages := p.taken()
	header := headerOf(t, messages[1])
	require.Equal(t, []string{"<m1@example.com>", first["message_id"].(string)}, strings.Fields(header.Get("References")))
	to, err := mail.ParseAddress(header.Get("To"))
	require.NoError(t, err)
	require.Equal(t, &mail.Address{Name: "Böb", Address: "bob@example.com"}, to)
}
