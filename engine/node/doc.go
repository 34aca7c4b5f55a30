// Package node is the API for plugin authors: how a node type is declared, and how it is
// called.
//
// The usual form is a Go function whose parameter and result are structs; see [Func].
// Ports, code and documentation cannot get out of step, and the rest of the declaration
// (example, icon, search words, conversions, whether it may be called twice) follows in
// method calls. The raw form, a [Node] with a [Spec] and a [Bind], is for what a function
// cannot express: ports that depend on a node's config or body, outputs that are not always
// taken, texts that are compiled once, and values that pass through unchanged, for which
// the conversion to a struct would cost more than the work. Both forms end in the public
// contract: a [Plugin] registers specs and executors on a [Registrar].
//
// A node must not change its input values, because other nodes share them, and must return
// when its context ends. Access to the outside world (network, files, secrets) must be
// passed to its plugin, never taken from globals. Package nodes/nodetest checks all of
// this.
package node
