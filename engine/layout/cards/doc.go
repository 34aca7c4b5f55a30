// Package cards computes how a node looks on the canvas: the size of its card, the
// positions of its ports, the maximum length of its texts, and the positions of all cards
// when a workflow is arranged. The editor draws with it, and servers compute layouts with
// it.
//
// Sizes and positions are in dp. They depend on texts only through an estimate of their
// width, so that a workflow has the same layout on every machine, whatever its fonts.
package cards
