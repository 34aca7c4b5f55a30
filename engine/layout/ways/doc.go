// Package ways leads wires around what lies between their ends, so that none seems to end
// at a card that it only passes. It knows neither nodes nor documents.
//
// A wire that nothing is in the way of has no bends: whoever draws it draws the curve of
// [geom.WireCurve]. All others go right, up, down and left, with as few bends as there can
// be. What this may cost is bounded for all wires together; those that come after that
// take the curve.
package ways
