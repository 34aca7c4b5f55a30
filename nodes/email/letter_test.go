package email // internal, to test the parser directly

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/eml"
)

func FuzzLetter(f *testing.F) {
	f.Add("Subject: a\r\n\r\nb")
	f.Add("Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=latin1\r\n\r\n<p>\xfc</p>\r\n--x--")
	f.Add("Content-Disposition: attachment; filename=\"..\\\\..\\\\a/../b\u202e.exe\"\r\n\r\nx")
	f.Add("From: =?utf-8?q?=0d=0aBcc:?= <a@b>\r\nMessage-ID: <a\x00b@c>\r\nReferences: <x> <y@z>\r\n\r\n")
	f.Fuzz(func(t *testing.T, raw string) {
		l, err := eml.Read([]byte(raw), nil)
		if err != nil {
			return
		}
		for _, text := range append(append(l.Shown("From"), l.Shown("To")...), l.Body(), l.HTML, l.Snippet(), l.Field("Subject")) {
			require.True(t, utf8.ValidString(text), "%q", text)
		}
		require.False(t, hasControl(answerSubject(l.Field("Subject"))))
		for _, id := range thread(l) {
			require.False(t, hasControl(id))
		}
		for i, a := range l.Attachments {
			name := eml.FileName("INBOX;1;1", i, a.Filename)
			require.False(t, strings.ContainsAny(name, `/\`) || hasControl(name) || strings.Contains(name, ".."), "%q", name)
		}
	})
}

func FuzzID(f *testing.F) {
	f.Add("INBOX;1;2")
	f.Add("a;b;1;2")
	f.Fuzz(func(t *testing.T, text string) {
		id, err := parseID(text)
		if err != nil {
			return
		}
		again, err := parseID(id.String())
		require.NoError(t, err)
		require.Equal(t, id, again)
	})
}
