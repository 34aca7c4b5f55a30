package editor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSearch(t *testing.T) {
	specs := testSpecs(t)
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
	require.Equal(t, []int{0, 1, 2}, specs.Search("Spl")[0].Matched)
	require.Empty(t, specs.Search("zzzzqq"))
	once := map[string]bool{}
	for _, c := range specs.Search("t") {
		require.False(t, once[c.Spec.Type], "%s twice", c.Spec.Type)
		once[c.Spec.Type] = true
	}
}

func TestPartnersFitTheWire(t *testing.T) {
	d := open(t, mixed)
	for _, end := range []PortRef{out("n", "value"), out("l", "value"), in("enc", "text"), in("search", "credential")} {
		choices, err := d.Partners(end, "")
		require.NoError(t, err)
		require.NotEmpty(t, choices)
		for _, c := range choices {
			id, err := d.AddConnected(c.Spec.Type, Point{}, end, c.Port)
			require.NoError(t, err, "%s to %s.%s", end.Port, c.Spec.Type, c.Port)
			require.NotEmpty(t, id)
			d.Undo()
		}
		require.Less(t, len(choices), len(d.Specs().All()), "not all fit")
	}
	_, err := d.Partners(out("nobody", "x"), "")
	require.ErrorIs(t, err, ErrIllegalWire)
}
