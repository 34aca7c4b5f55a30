package inspector_test

import (
	"errors"
	"testing"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/uitest"
)

func TestHintsStandWhereTheirProblemsWould(t *testing.T) {
	b := open(t, demo).node("send")
	b.board.SetHints([]engine.Hint{
		{NodeID: "send", Port: "message", Message: "may not be what is meant"},
		{NodeID: "send", Message: "something about the node"},
		{NodeID: "filter", Message: "about another"},
	})
	b.board.SetProblems(nil)
	b.show()
	require.Contains(t, b.said(), "may not be what is meant")
	require.Contains(t, b.said(), "something about the node")
	require.NotContains(t, b.said(), "about another")
	b.board.SetProblems(engine.ValidationErrors{{Code: engine.CodeTypeMismatch, NodeID: "send", Port: "message", Message: "the types differ"}})
	b.show()
	require.Contains(t, b.said(), "the types differ")
	require.NotContains(t, b.said(), "may not be what is meant", "a problem matters more")
}

func TestChoicesAreAskedForWhenTheyAreWanted(t *testing.T) {
	b := open(t, `{"id":"w","nodes":[{"id":"f","type":"email.fetch_emails","config":{"credential":"email:main"}}],"connections":[]}`).node("f")
	require.Nil(t, b.choose, "nobody wants them yet")
	inspector.Offer(b.control("mailbox"))
	require.Equal(t, []any{"email.fetch_emails", "mailbox", map[string]any{"credential": "email:main"}}, b.asked)
	require.Nil(t, b.window.Canvas().Overlays().Top())
	b.choose([]node.Choice{{Value: "INBOX", Label: "Inbox"}, {Value: "Archive"}}, nil)
	require.NotNil(t, b.window.Canvas().Overlays().Top())
	uitest.Press(b.window, fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
	require.Equal(t, "Archive", b.config("f", "mailbox"))

	inspector.Offer(b.control("mailbox"))
	b.choose(nil, errors.New("the account is not connected"))
	require.Contains(t, b.said(), "the account is not connected")
	b.write("mailbox", "Typed")
	require.Equal(t, "Typed", b.config("f", "mailbox"), "anything can be typed")
}
