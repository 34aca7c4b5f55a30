// Package node is what a plugin author needs: how a node type is declared, and
// how it is called.
//
// The way is a Go function whose parameter and result are structs; see [Func]. Its ports,
// its code and its documentation cannot drift apart, and all else that a node type tells
// about itself (example, icon, everyday words, what it converts, whether it may be called
// twice) is said behind it. The raw form, a [Node] of a [Spec] and a [Bind], is for what a
// function cannot say: ports that depend on a node's config or body, outputs that are not
// always taken, texts that are compiled once, and values that pass through as they are,
// for which the detour over a struct would cost more than the work. The public contract
// underneath is a [Plugin] that registers specs and executors on a [Registrar]; both ways
// end there.
//
// A node must not change the values it is given, since others hold them too, and
// has to return when its context ends. What it reads of the outside world
// (network, files, secrets) it gets from whoever makes its plugin, never from
// globals. Package nodes/nodetest checks all of this.
package node
