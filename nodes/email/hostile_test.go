package email_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnEndlessMessageIsCutOff connects to a server that announces a message of 4 GiB and
// never stops sending.
func TestAnEndlessMessageIsCutOff(t *testing.T) {
	var sent atomic.Int64
	l := listen(t, plain, nil)
	serve(t, func() error {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		defer conn.Close()
		return endless(conn, &sent)
	}, l)
	d := newDesk(t, newProvider(t, plain))
	d.variables["EMAIL_IMAP_URL"] = "imap://" + l.Addr().String() + "?tls=none"
	err := d.failure(t, "email.read_email", record{"id": "INBOX;1;1"})
	require.ErrorContains(t, err, "64 MiB")
	require.Less(t, sent.Load(), int64(100<<20))
}

// endless is the server's side. It counts the bytes of the message.
func endless(conn io.ReadWriter, sent *atomic.Int64) error {
	if _, err := io.WriteString(conn, "* OK [CAPABILITY IMAP4rev1 SASL-IR AUTH=PLAIN] hello\r\n"); err != nil {
		return err
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		tag, command, _ := strings.Cut(lines.Text(), " ")
		answer := ""
		switch {
		case strings.HasPrefix(command, "EXAMINE"):
			answer = "* OK [UIDVALIDITY 1] x\r\n"
		case strings.HasPrefix(command, "UID FETCH"):
			if _, err := io.WriteString(conn, "* 1 FETCH (UID 1 BODY[]<0> {4294967295}\r\n"); err != nil {
				return err
			}
			for zeros := make([]byte, 1<<16); ; {
				n, err := conn.Write(zeros)
				if sent.Add(int64(n)); err != nil {
					return err
				}
			}
		}
		if _, err := fmt.Fprintf(conn, "%s%s OK done\r\n", answer, tag); err != nil {
			return err
		}
	}
	return nil
}
