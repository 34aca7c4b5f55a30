package preview

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

func tableNode() node.Node {
	rows := value.ListOf(value.RecordOf())
	spec := node.Spec{
		Type:    "preview.table",
		Label:   "Table",
		Aliases: node.Words("grid, rows, show records", "tabelle, zeilen, anzeigen"),
		Description: "Shows records as a table, one row each, and passes them on unchanged.\n\n" +
			"`[{\"name\":\"Ada\",\"born\":1815}]` is shown with the columns born and name; `columns` chooses others, in that order.",
		Inputs: []node.Port{
			{Name: "rows", Type: rows, Description: "The records to show."},
			{
				Name: "columns", Type: value.ListOf(value.String()), Optional: true,
				Description: "The fields to show, from left to right; all of them, sorted by name, if nothing is given.",
			},
		},
		Outputs: []node.Port{{Name: "rows", Type: rows, Description: "The same records."}},
		Pure:    true,
		Inline:  true,
		Shows:   node.Shows{Port: "rows", Kind: view.Table, Columns: "columns"},
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, pass)}
}
