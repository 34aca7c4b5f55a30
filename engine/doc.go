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
// a failed wire skips the node; so does a wired port that is not fed, optional or
// not, so that nothing with an effect happens on a side that was not taken; among
// the ports that a spec declares Partial it is enough that one is fed. A list port
// is fed if one of its wires brought something. A wired port takes its wire and
// nothing else; one without wires takes its config or default. A skipped node
// passes its reason on to what follows it.
//
// $after, $when and $done put nodes in order without data: $after is fed if all of
// its wires bring something, $when that is false skips its node, and $done comes of
// a success.
//
// The engine knows no plugin and no node type: what it needs to know of a type
// stands in the node.Spec.
package engine
