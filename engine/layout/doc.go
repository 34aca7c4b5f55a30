// Package layout arranges boxes and the wires between them: in layers from left to right,
// with few crossings, keeping groups together, in roughly the shape of a window. It is
// independent of nodes and documents; package cards computes the sizes of cards.
//
// It is deterministic: the same [Graph] is always arranged in the same way. It uses no
// recursion, so paths may be of any length.
package layout
