package inspector_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// One node for each kind of control.
const demo = `{"id":"fans","name":"Thank the fans","description":"Thanks everybody.","nodes":[` +
	`{"id":"term","type":"io.input","config":{"name":"term","required":true,"type":"string","description":"What to search for."}},` +
	`{"id":"filter","type":"listops.filter","config":{"expression":"item.text ="}},` +
	`{"id":"fmt","type":"text.format","config":{"template":"Thanks, {author}!"},"label":"Format"},` +
	`{"id":"send","type":"pronet.send_message","config":{"credential":"pronet:main"},"timeoutMs":5000,"retry":{"maxAttempts":3}},` +
	`{"id":"http","type":"io.http_request","config":{"headers":{"a":"b"}}},` +
	`{"id":"mail","type":"email.send_email","config":{"to":["a@b.c","d@e.f"]}},` +
	`{"id":"file","type":"io.file_read"},` +
	`{"id":"cut","type":"text.split"},` +
	`{"id":"loop","type":"control.foreach"},` +
	`{"id":"sub","type":"control.subworkflow"},` +
	`{"id":"cond","type":"control.branch"},` +
	`{"id":"what","type":"acme.unknown"}],` +
	`"connections":[{"fromNodeId":"fmt","fromPort":"result","toNodeId":"send","toPort":"message"},` +
	`{"fromNodeId":"term","fromPort":"value","toNodeId":"filter","toPort":"list"}],` +
	`"groups":[{"id":"g","label":"Who wrote","nodeIds":["fmt","filter"]}],` +
	`"notes":[{"id":"n","text":"Only those who wrote something","position":{"x":264,"y":400},"color":"#D9A441"}]}`

func TestTypedValues(t *testing.T) {
	for name, c := range map[string]struct {
		node, port, typed string
		want              any
	}{
		"string":                      {"send", "recipient_id", "42", "42"},
		"multiline":                   {"fmt", "template", "a\n{b}", "a\n{b}"},
		"expression":                  {"filter", "expression", "true", "true"},
		"int":                         {"loop", "concurrency", " 12 ", 12},
		"int that is written as such": {"loop", "concurrency", "3.0", 3},
		"json":                        {"http", "body", `{"a": [1, 2.5, null]}`, map[string]any{"a": []any{1, 2.5, nil}}},
		"any text":                    {"http", "body", "hello \"you\",\n2 lines", "hello \"you\",\n2 lines"},
		"any number":                  {"http", "body", "12", 12},
		"any fraction":                {"http", "body", "1.5", 1.5},
		"any truth":                   {"http", "body", "true", true},
		"list of any":                 {"loop", "list", `[1]`, []any{1}},
		"a text to a line":            {"mail", "cc", "a@b.c\n\nd@e.f\n", []any{"a@b.c", "d@e.f"}},
		"lines as JSON":               {"mail", "cc", `["a", ""]`, []any{"a", ""}},
		"no lines":                    {"mail", "cc", `[]`, []any{}},
		"credential":                  {"send", "credential", "pronet:work", "pronet:work"},
		"file":                        {"file", "path", "/tmp/x", "/tmp/x"},
		"workflow":                    {"sub", "workflowId", "daily", "daily"},
		"empty text beside a default": {"cut", "delimiter", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, demo).node(c.node)
			b.write(c.port, "?") // so that the empty text is typed, too
			b.write(c.port, c.typed)
			require.Equal(t, c.want, b.config(c.node, c.port))
			require.Empty(t, b.refused)
			require.Positive(t, b.changed)
		})
	}
}

func TestInvalidInputIsShownAndNotStored(t *testing.T) {
	for name, c := range map[string]struct {
		node, port, typed, says string
		keeps                   any
	}{
		"no number":         {"loop", "concurrency", "many", "Type a whole number, such as 30.", nil},
		"a fraction":        {"loop", "concurrency", "1.5", "Type a whole number, such as 30.", nil},
		"too large":         {"loop", "concurrency", "1e300", "Type a whole number, such as 30.", nil},
		"bad JSON":          {"http", "headers", "{\n \"a\": }", "Line 2, column 7: ", map[string]any{"a": "b"}},
		"a bare word":       {"http", "headers", "hello", "Put a text in quotes.", map[string]any{"a": "b"}},
		"half of JSON":      {"http", "body", `{"a":`, "Line 1, column 6: ", nil},
		"a secret":          {"send", "credential", "hunter2", "Never put a password or key here.", "pronet:main"},
		"the wrong network": {"send", "credential", "microblog:bot", "Use an account of pronet.", "pronet:main"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, demo).node(c.node)
			b.write(c.port, c.typed)
			require.Equal(t, c.keeps, b.config(c.node, c.port))
			require.Contains(t, b.said(), c.says)
			require.NotContains(t, b.said(), "hunter2 ")
		})
	}
}

func TestAnInputOfAnyTypeIsWrittenAsTheUserSays(t *testing.T) {
	b := open(t, demo).node("http")
	b.write("body", "12")
	require.Equal(t, 12, b.config("http", "body"), "as it looks")
	b.link("Text")
	require.Equal(t, "12", b.config("http", "body"))
	b.write("body", "12.5")
	require.Equal(t, "12.5", b.config("http", "body"), "it was said that it is a text")
	b.link("Number")
	require.InEpsilon(t, 12.5, b.config("http", "body"), 1e-9)
	b.write("body", "twelve")
	require.Contains(t, b.said(), "Type a number")
	b.link("Text")
	require.Equal(t, "twelve", b.config("http", "body"))
	require.NotContains(t, b.said(), "Type a number")
	b.link("JSON")
	require.Contains(t, b.said(), "Put a text in quotes.")
	require.Equal(t, "twelve", b.config("http", "body"))

	require.NoError(t, b.doc.SetConfig("http", "body", "two\nlines"))
	b.show()
	require.Equal(t, "two\nlines", b.entry("body").Text, "a text of the document is shown as one, without quotes")
	require.NoError(t, b.doc.SetConfig("http", "body", []any{1}))
	b.show()
	require.Equal(t, "[\n  1\n]", b.entry("body").Text)
	b.tapReset("body")
	b.write("body", "7")
	require.Equal(t, 7, b.config("http", "body"), "all is open again")
}

func TestJSONOfTheWrongTypeIsStoredWithAWarning(t *testing.T) {
	b := open(t, demo).node("http")
	b.write("headers", "[1]")
	require.Equal(t, []any{1}, b.config("http", "headers"))
	require.Contains(t, b.said(), "record")
	b.write("headers", `{"a":"c"}`)
	require.Equal(t, map[string]any{"a": "c"}, b.config("http", "headers"))
	require.NotContains(t, b.said(), "expected")
}

func TestEmptyFieldTakesTheValueAway(t *testing.T) {
	b := open(t, demo).node("send")
	b.write("credential", "")
	n, _ := b.doc.Node("send")
	require.NotContains(t, n.Config, "credential")
	require.Equal(t, "Clear credential", b.doc.CanUndo())
}

func TestChoices(t *testing.T) {
	b := open(t, demo).node("http")
	method := b.menu("method")
	require.Equal(t, "Default (GET)", method.Selected)
	method.SetSelected("POST")
	require.Equal(t, "POST", b.config("http", "method"))
	method.SetSelected("Default (GET)")
	n, _ := b.doc.Node("http")
	require.NotContains(t, n.Config, "method")

	require.True(t, b.check("followRedirects").Checked)
	b.check("followRedirects").SetChecked(false)
	require.Equal(t, false, b.config("http", "followRedirects"))
	b.tapReset("followRedirects")
	require.True(t, b.check("followRedirects").Checked)
	require.Nil(t, b.config("http", "followRedirects"))

	condition := b.node("cond").menu("condition")
	require.Equal(t, []string{"Yes", "No"}, condition.Options, "it is required")
	require.Empty(t, condition.Selected)
	condition.SetSelected("No")
	require.Equal(t, false, b.config("cond", "condition"))
}

func TestReset(t *testing.T) {
	b := open(t, demo).node("mail")
	b.tapReset("to")
	require.Nil(t, b.config("mail", "to"))
	require.Empty(t, b.entry("to").Text)
	require.False(t, b.canReset("to"), "there is nothing left to reset")
	b.board.Undo()
	b.show()
	require.Equal(t, "a@b.c\nd@e.f", b.entry("to").Text)
}

func TestTypingIsOneStepAndUndoShowsTheValueAgain(t *testing.T) {
	b := open(t, demo).node("send")
	e := b.focus("recipient_id")
	test.Type(e, "abc")
	require.Equal(t, "abc", b.config("send", "recipient_id"))
	require.Equal(t, 3, e.CursorColumn, "the cursor stays behind what is typed")
	b.board.Undo()
	b.show()
	require.Nil(t, b.config("send", "recipient_id"))
	require.Empty(t, b.entry("recipient_id").Text)
	b.board.Redo()
	b.show()
	require.Equal(t, "abc", b.entry("recipient_id").Text)
}

func TestLeavingAFieldEndsTheStep(t *testing.T) {
	b := open(t, demo).node("send")
	test.Type(b.focus("recipient_id"), "a")
	b.window.Canvas().Unfocus()
	test.Type(b.focus("recipient_id"), "b")
	b.board.Undo()
	b.show()
	require.Len(t, b.config("send", "recipient_id"), 1)
}

func TestCursorStaysWhileTypingChangesThePorts(t *testing.T) {
	b := open(t, demo).node("fmt")
	e := b.focus("template")
	e.CursorColumn = len("Thanks, ")
	test.Type(e, "{first}")
	require.Equal(t, "Thanks, {first}{author}!", b.config("fmt", "template"))
	require.Equal(t, len("Thanks, {first}"), e.CursorColumn)
	require.Same(t, e, b.entry("template"), "the field is still the same")
	require.NotNil(t, b.entry("first"), "the placeholder is an input now")
}

func TestTypedTextSurvivesOtherChanges(t *testing.T) {
	b := open(t, demo).node("loop")
	b.write("concurrency", "4x")
	require.NoError(t, b.doc.SetLabel("loop", "Every post"))
	b.show()
	require.Equal(t, "4x", b.entry("concurrency").Text)
	require.Contains(t, b.said(), "Type a whole number")
	require.NoError(t, b.doc.SetConfig("loop", "concurrency", 7))
	b.show()
	require.Equal(t, "7", b.entry("concurrency").Text)
	require.NotContains(t, b.said(), "Type a whole number")
}

func TestShortcuts(t *testing.T) {
	b := open(t, demo).node("send")
	e := b.focus("recipient_id")
	e2, ok := b.focused().(fyne.Shortcutable)
	require.True(t, ok)
	e2.TypedShortcut(&fyne.ShortcutUndo{})
	require.Len(t, b.keys, 1, "undo is that of the document")
	e.SetText("abc")
	e2.TypedShortcut(&fyne.ShortcutSelectAll{})
	require.Len(t, b.keys, 1)
	require.Equal(t, "abc", e.SelectedText())
	b.focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	require.Equal(t, 1, b.left)
	require.False(t, e2.(fyne.Tabbable).AcceptsTab())
}

func TestPickers(t *testing.T) {
	b := open(t, demo).node("file")
	b.button("Browse…").OnTapped()
	b.pick("/home/ann/list.txt")
	require.Equal(t, "/home/ann/list.txt", b.config("file", "path"))

	b.node("mail")
	b.write("attachments", "/a")
	b.button("Browse…").OnTapped()
	b.pick("/b c")
	require.Equal(t, []any{"/a", "/b c"}, b.config("mail", "attachments"))

	b.node("send")
	require.Equal(t, []string{"pronet:main", "pronet:work"}, b.proposals("credential"), "those of the port's network")
	b.button("Connect…").OnTapped()
	require.Equal(t, "pronet", b.network)
	b.connect("pronet:new")
	require.Equal(t, "pronet:new", b.config("send", "credential"))

	b.button("Connect…").OnTapped()
	b.node("file")
	b.connect("pronet:late")
	require.Equal(t, "pronet:new", b.config("send", "credential"), "the user has gone on")
	require.Equal(t, []string{"daily", "weekly"}, b.node("sub").proposals("workflowId"))
}

func TestReadOnly(t *testing.T) {
	b := open(t, demo).node("send")
	b.board.ReadOnly = true
	b.show()
	require.True(t, b.entry("recipient_id").Disabled())
	require.True(t, b.button("Connect…").Disabled())
	require.False(t, b.canReset("credential"))
	b.entry("recipient_id").SetText("x")
	require.Nil(t, b.config("send", "recipient_id"))
	b.board.ReadOnly = false
	b.show()
	require.False(t, b.entry("recipient_id").Disabled())
}

func TestValueTooLargeToEdit(t *testing.T) {
	b := open(t, demo)
	require.NoError(t, b.doc.SetConfig("http", "body", string(make([]byte, 100_000))))
	b.node("http")
	require.Contains(t, b.said(), "Too large to edit here")
	b.tapReset("body")
	require.NotContains(t, b.said(), "Too large to edit here")
	b.write("body", "1")
	require.Equal(t, 1, b.config("http", "body"))
}

func TestAFieldOfTheOldSelectionIsNotChanged(t *testing.T) {
	b := open(t, demo).node("send")
	b.focus("recipient_id")
	b.board.Selection.Replace(doc.Set{Nodes: []string{"mail"}})
	b.show()
	require.Nil(t, b.focused())
	b.focus("subject")
	b.doc.Seal()
	require.NoError(t, b.doc.Disconnect(workflow.Connection{FromNodeID: "fmt", FromPort: "result", ToNodeID: "send", ToPort: "message"}))
	b.show()
	require.NotNil(t, b.focused(), "the same node keeps the focus")
}
