package email

import (
	"strconv"
	"strings"

	"github.com/emersion/go-imap/v2"

	"github.com/svcflow/svc/engine/node"
)

// messageID identifies a message. As text it is mailbox;uidvalidity;uid. The validity
// changes when a server renumbers a mailbox, so that an old id finds no message, and never
// the wrong one.
type messageID struct {
	mailbox  string
	validity uint32
	uid      imap.UID
}

// String is what workflows see of an id.
func (id messageID) String() string {
	return id.mailbox + ";" + strconv.FormatUint(uint64(id.validity), 10) + ";" + strconv.FormatUint(uint64(id.uid), 10)
}

// parseID reads what String wrote. The name of a mailbox may have semicolons.
func parseID(text string) (messageID, error) {
	rest, uid, ok := cutLast(text)
	mailbox, validity, ok2 := cutLast(rest)
	if !ok || !ok2 || uid == 0 || validity == 0 || mailbox == "" || hasControl(mailbox) {
		return messageID{}, node.Errorf(node.CodeInvalidInput, "%q is no message id; use one that email.fetch_emails gave, such as INBOX;1;7", text)
	}
	return messageID{mailbox: mailbox, validity: validity, uid: imap.UID(uid)}, nil
}

// cutLast splits text at its last semicolon, behind which a number stands.
func cutLast(text string) (before string, number uint32, ok bool) {
	i := strings.LastIndexByte(text, ';')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.ParseUint(text[i+1:], 10, 32)
	return text[:i], uint32(n), err == nil
}
