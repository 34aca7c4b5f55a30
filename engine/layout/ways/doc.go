// Package ways routes wires around the boxes between their ends, so that a wire does not
// seem to end at a card that it only passes. It is independent of nodes and documents.
//
// A wire without obstacles has no bends and is drawn as the curve of [geom.WireCurve]. All
// others consist of horizontal and vertical lines, with as few bends as possible. The total
// work for all wires is limited; wires beyond the limit are drawn as curves.
package ways
