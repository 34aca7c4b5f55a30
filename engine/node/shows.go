package node

import "github.com/svcflow/svc/engine/value/view"

// Shows says what a node is there to have looked at, and how. Its zero value is that it
// shows nothing.
type Shows struct {
	Port string `json:"port"` // what comes in at this input, and out at the output of that name
	// Kind is how it is shown, unless the input As names a kind.
	Kind view.Kind `json:"kind,omitzero"`
	As   string    `json:"as,omitzero"`
	// Columns is the input that names the columns of a table.
	Columns string `json:"columns,omitzero"`
}

// Wish returns how a node with these inputs wants its value shown.
func (s Shows) Wish(inputs map[string]any) view.Wish {
	w := view.Wish{Kind: s.Kind}
	if as, ok := inputs[s.As].(string); ok && s.As != "" {
		w.Kind = view.Kind(as)
	}
	if columns, ok := inputs[s.Columns].([]any); ok && s.Columns != "" {
		w.Columns = []string{}
		for _, c := range columns {
			if name, ok := c.(string); ok {
				w.Columns = append(w.Columns, name)
			}
		}
	}
	return w
}
