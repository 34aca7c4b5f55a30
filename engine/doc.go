// Package engine compiles workflows and runs them.
//
// [Compile] turns a definition into a [Plan], or into every problem it has. A
// [Local] runner executes a plan in this process and gives back a [Run], of which
// [Result] and the [Event] stream are views.
//
// # Words
//
//	workflow    a document: nodes and the connections between their ports
//	node        one step of a workflow; its type is declared by a node.Spec
//	port        a named, typed input or output of a node
//	wire        a connection, as the plan sees it
//	slot        the place of one port of one node in a plan or run
//	body        the workflow inside a container node
//	plan        a compiled workflow; immutable, shared by any number of runs
//	run         one execution of a plan
//	attempt     one call of a node's implementation; a retry is another attempt
//
// # Absence
//
// An output that will not come is either not taken or failed. Not taken are the
// other side of a branch, the error port of a success, the ordinary outputs of a
// handled failure and the outputs of a disabled node; failed are the outputs of
// an unhandled failure. Once all wires into a node are settled, one rule decides:
// a failed wire skips the node; so does a required port that nothing came to; so
// does having wires none of which brought anything; otherwise the node runs, and
// ports without a value take their default or stay unset. A skipped node passes
// its reason on to what follows it.
//
// The engine knows no plugin and no node type: what it needs to know of a type
// stands in the node.Spec.
package engine
