package node

// Script describes the language of a literal input's text and the names it can use, so that
// an editor can complete names and preview the result.
type Script struct {
	Language Language `json:"language"`
	// Names maps the names with which an expression can begin to inputs of the node:
	// "vars", or "list[]" for the items of a list; "" means no input. If it is empty, the
	// inputs themselves are the names.
	Names map[string]string `json:"names,omitempty"`
}

// Language is the language of a [Script].
type Language string

// The languages of scripts.
const (
	LanguageExpr     Language = "expr"     // of package engine/expr: item.price > 10
	LanguageJQ       Language = "jq"       // .items[].name
	LanguageJSONPath Language = "jsonpath" // $.items[*].name
	LanguageTemplate Language = "template" // Hello, {user.name}!
)

// Derives means that nodes of the type compute a value from another one with a script. An
// editor inserts such a node when a user writes an expression instead of a value, or takes
// a part of a value.
type Derives struct {
	From  string `json:"from"`  // the input that receives the value; "list[]" for one that takes a list of it
	By    string `json:"by"`    // the literal input with the text
	Gives string `json:"gives"` // the output with the result; "[]" as in From
	// Wired means that an editor may insert such a node into a workflow. Otherwise it may
	// only use it to preview the result of a script.
	Wired bool `json:"wired,omitempty"`
}
