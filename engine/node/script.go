package node

// Script says in which language the text of a literal input is written and of what it
// can speak, so that an editor can complete names and show what the text gives.
type Script struct {
	Language Language `json:"language"`
	// Names are the names that a text begins with, and which input of the node each stands
	// for: "vars", or "list[]" for the items of one; "" is no input. Without any, the
	// inputs themselves are the names.
	Names map[string]string `json:"names,omitempty"`
}

// Language is that of a [Script].
type Language string

// The languages that texts of nodes are written in.
const (
	LanguageExpr     Language = "expr"     // of package engine/expr: item.price > 10
	LanguageJQ       Language = "jq"       // .items[].name
	LanguageJSONPath Language = "jsonpath" // $.items[*].name
	LanguageTemplate Language = "template" // Hello, {user.name}!
)

// Derives says that nodes of a type make a value of another one by a text that they are
// given. Where somebody writes an expression in place of a value, or takes a part of a
// value, an editor puts such a node.
type Derives struct {
	From  string `json:"from"`  // the input that takes the value; "list[]" for one that takes a list of it
	By    string `json:"by"`    // the literal input with the text
	Gives string `json:"gives"` // the output, likewise
	// Wired says that an editor may put such a node into a workflow for it, rather than
	// only ask it what a text gives.
	Wired bool `json:"wired,omitempty"`
}
