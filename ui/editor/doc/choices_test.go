package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestSearch(t *testing.T) {
	specs := editortest.Specs(t)
	require.Len(t, specs.Search(""), len(specs.All()), "all of them")
	require.Len(t, specs.Search("   "), len(specs.All()))
	tests := []struct{ query, first string }{
		{"for each", "control.foreach"},
		{"foreach", "control.foreach"},
		{"snd msg", "microblog.send"},
		{"listops.filter", "listops.filter"},
		{"pronet", "pronet.send"},
		{"REGEX", "text.regex"},
		{"substring", "text.slice"},
		{"Schleife", "control.foreach"},
		{"großb", "text.transform"},
		{"and repl", "text.replace"},
	}
	for _, test := range tests {
		t.Run(test.query, func(t *testing.T) {
			found := specs.Search(test.query)
			require.NotEmpty(t, found)
			require.Equal(t, test.first, found[0].Spec.Type)
		})
	}
	require.Equal(t, []int{0, 1, 2, 3, 4}, specs.Search("Split")[0].Matched)
	require.Empty(t, specs.Search("zzzzqq"))
	once := map[string]bool{}
	for _, c := range specs.Search("t") {
		require.False(t, once[c.Spec.Type], "%s twice", c.Spec.Type)
		once[c.Spec.Type] = true
	}
}

func TestPartnersFitTheWire(t *testing.T) {
	d := editortest.Open(t, editortest.Mixed)
	for _, end := range []cards.PortRef{editortest.Out("n", "value"), editortest.Out("l", "value"), editortest.In("enc", "text"), editortest.In("search", "credential")} {
		choices, err := d.Partners(end, "")
		require.NoError(t, err)
		require.NotEmpty(t, choices)
		for _, c := range choices {
			id, err := d.AddConnected(c.Spec.Type, geom.Point{}, end, c.Port)
			require.NoError(t, err, "%s to %s.%s", end.Port, c.Spec.Type, c.Port)
			require.NotEmpty(t, id)
			d.Undo()
		}
		require.Less(t, len(choices), len(d.Specs().All()), "not all fit")
	}
	_, err := d.Partners(editortest.Out("nobody", "x"), "")
	require.ErrorIs(t, err, doc.ErrIllegalWire)
}
