// Package layout arranges boxes and the wires between them: in layers from left to right,
// with few crossings, groups in one piece, in about the shape of a window. It knows
// neither nodes nor documents; package cards below it says how large the card of a node is.
//
// It is pure: the same [Graph] is always arranged in the same way. Nothing in it recurses,
// however long the ways are.
package layout
