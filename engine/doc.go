// Package engine compiles workflows and runs them.
//
// [Compile] turns a definition into a [Plan], or reports every problem in it. A [Local]
// runner executes a plan in this process and returns a [Run], which provides the [Result]
// and the [Event] stream.
//
// # Words
//
//	workflow    a document: nodes and the connections between their ports
//	node        one step of a workflow; its type is declared by a node.Spec
//	port        a named, typed input or output of a node
//	wire        a connection, as the plan sees it
//	slot        one port of one node, numbered in a plan or run
//	body        the workflow inside a container node
//	plan        a compiled workflow; immutable, shared by any number of runs
//	run         one execution of a plan
//	attempt     one call of a node's implementation; a retry is another attempt
//
// # Absence
//
// An output without a value is either not taken or failed. Not taken are: the other side of
// a branch, the error port of a node that succeeds, the ordinary outputs of a handled
// failure, and the outputs of a disabled node. Failed are the outputs of an unhandled
// failure.
//
// Once all wires into a node are settled:
//
//   - A failed wire skips the node.
//   - A wired port without a value skips the node, even if the port is optional. So nothing
//     with a side effect runs on a side that was not taken.
//   - Of the ports that a spec declares Partial, one value is enough.
//   - A list port has a value if one of its wires brings one.
//
// A wired port ignores its config and default; a port without wires uses them. A skipped
// node passes its reason on to the nodes that follow it.
//
// $after, $when and $done order nodes without passing data. $after is satisfied if all of
// its wires bring a value, $when skips its node if it is false, and $done is emitted when a
// node succeeds.
//
// The engine knows no plugin and no node type by name. All it needs to know of a type is in
// its node.Spec.
package engine
