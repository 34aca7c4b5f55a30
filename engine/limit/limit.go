// Package limit has the limits that users meet and that hold for every face of Svc, each
// once. docs/limits.md is made from its table. What a single node type may take is in the
// description of that type, and what an operator may set, in docs/operate.md.
package limit

// The limits of a document.
const (
	Nodes       = 10_000   // of a workflow, in all bodies together
	Connections = 50_000   // of a workflow, in all bodies together
	Document    = 10 << 20 // bytes of the JSON text
	Bodies      = 64       // bodies within bodies, and stored workflows within workflows
)

// Shown is how many bytes of JSON an output of a node may have to be shown whole in
// events and answers. What a run gives out itself is always whole.
const Shown = 64 << 10

// IdempotencyKey is how many bytes a key may have, and IdempotencyKeys how many of them
// are remembered at once.
const (
	IdempotencyKey  = 255
	IdempotencyKeys = 1_000_000
)

// Limit is one row of the table.
type Limit struct {
	What  string
	Most  int
	Bytes bool // Most counts bytes
	Past  string
}

// Table returns all limits of this package, in the order in which the book has them.
func Table() []Limit {
	return []Limit{
		{What: "nodes of a workflow, in all bodies together", Most: Nodes, Past: "`limit_exceeded`"},
		{What: "connections of a workflow, in all bodies together", Most: Connections, Past: "`limit_exceeded`"},
		{What: "the JSON text of a workflow", Most: Document, Bytes: true, Past: "`too_large` (413)"},
		{What: "bodies within bodies, and workflows within workflows", Most: Bodies, Past: "`limit_exceeded`"},
		{What: "an output of a node, as events and answers show it", Most: Shown, Bytes: true, Past: "`$elided`, with its size; `?full=true` shows it"},
		{What: "bytes of an idempotency key", Most: IdempotencyKey, Past: "`invalid_parameter` (400)"},
		{What: "idempotency keys of a day", Most: IdempotencyKeys, Past: "`too_many_keys` (503)"},
	}
}
