//go:build e2e

package email_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDovecotTellsOfMails lets a real server say that mails have come, and takes what came
// while nobody was there.
func TestDovecotTellsOfMails(t *testing.T) {
	d, p := newDovecot(t, implicit)
	send := func(subject string) {
		require.NoError(t, p.deliver("bob@example.com", []string{user}, bytes.ReplaceAll([]byte(letterOf(subject)), []byte("\n"), []byte("\r\n"))))
	}
	send("old")
	b := newPostbox(t, d, record{"markRead": true, "every": "24h"}) // so nobody asks in between
	b.open()
	for _, subject := range []string{"one", "two"} {
		send(subject)
		b.tells(subject)
	}
	b.close()
	send("three")
	b.open()
	b.tells("three")
	send("four")
	b.tells("four")
	require.Equal(t, 1, d.exec(t, "email.fetch_emails", record{"unread_only": true})["count"])
}
