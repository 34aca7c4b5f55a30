// Package node is what a plugin author needs: how a node type is declared, and
// how it is called.
//
// The shortest way is a Go function whose parameter and result are structs; see
// [Func]. Where ports depend on a node's config, write a [Spec] and a [Bind]. The
// public contract underneath (docs/design.md, Node types) is a [Plugin]
// that registers specs and executors on a [Registrar]; both ways end there.
//
// A node must not change the values it is given, since others hold them too, and
// has to return when its context ends. What it reads of the outside world
// (network, files, secrets) it gets from whoever makes its plugin, never from
// globals. Package nodes/nodetest checks all of this.
package node
