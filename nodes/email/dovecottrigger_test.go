//go:build e2e

package email_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDovecotTellsOfMails checks that a real server's notifications fire the trigger, and
// that mail that arrived while nothing watched is found.
func TestDovecotTellsOfMails(t *testing.T) {
	d, p := newDovecot(t, implicit)
	send := func(subject string) {
		require.NoError(t, p.deliver("bob@example.com", []string{user}, bytes.ReplaceAll([]byte(letterOf(subject)), []byte("\n"), []byte("\r\n"))))
	}
	send("old")
	b := newPostbox(t, d, record{"markRead": true, "every": "24h"}) // no polling during the test
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
