package doc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

// searched has the word in all kinds of places, on two levels.
const searched = `{"id":"searched","nodes":[` +
	`{"id":"ada","type":"text.format","label":"To Ada","config":{"template":"Dear ADA, {x}"}},` +
	`{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"in","type":"json.build","config":{"fields":{"n":12,"who":["x","for ada"]}}}],"connections":[],` +
	`"notes":[{"id":"n","text":"Ada again"}]}}],"connections":[],"groups":[{"id":"g","label":"ada's","nodeIds":["ada"]}]}`

func TestFindLooksEverywhere(t *testing.T) {
	d := editortest.Open(t, searched)
	found, more := d.Find(doc.Query{Text: "ada"})
	require.False(t, more)
	require.Equal(t, []doc.Found{
		{Path: "ada", Where: "id", Text: "ada"},
		{Path: "ada", Where: "label", Text: "To Ada"},
		{Path: "ada", Where: "template", Port: "template", Text: "Dear ADA, {x}"},
		{Where: "group", Note: "g", Text: "ada's"},
		{Path: "loop/in", Where: "fields", Port: "fields", Text: "for ada"},
		{Path: "loop/", Where: "note", Note: "n", Text: "Ada again"},
	}, found)
	found, _ = d.Find(doc.Query{Text: "ADA", Case: true})
	require.Len(t, found, 1)
	found, _ = d.Find(doc.Query{Text: "12"})
	require.Len(t, found, 1)
	for _, none := range []string{"", "zebra", "{x}+", "(", "Dear.ADA"} {
		found, _ = d.Find(doc.Query{Text: none})
		require.Empty(t, found, none)
	}
}

func TestReplaceTextIsOneStep(t *testing.T) {
	d := editortest.Open(t, searched)
	require.NoError(t, d.Enter("loop"), "from whatever level")
	places, err := d.ReplaceText(doc.Query{Text: "ada"}, "$1 Bo")
	require.NoError(t, err)
	require.Equal(t, 5, places)
	after := editortest.Text(t, d)
	require.Equal(t, 1, strings.Count(after, `"id":"ada"`), "ids stay")
	for _, want := range []string{"To $1 Bo", "Dear $1 Bo, {x}", "for $1 Bo", "$1 Bo again", "$1 Bo's"} {
		require.Contains(t, after, want)
	}
	require.Equal(t, "Replace text", d.CanUndo())
	d.Undo()
	require.Equal(t, searched, editortest.Text(t, d))
	d.Redo()
	require.Equal(t, after, editortest.Text(t, d))
	d.Undo()
	places, err = d.ReplaceText(doc.Query{Text: "zebra"}, "x")
	require.NoError(t, err)
	require.Zero(t, places)
	require.Empty(t, d.CanUndo())
	_, err = d.ReplaceText(doc.Query{Text: "ada"}, strings.Repeat("x", 100_000))
	if err != nil {
		require.Equal(t, searched, editortest.Text(t, d), "all or nothing")
	}
}
