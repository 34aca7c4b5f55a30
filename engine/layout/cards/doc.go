// Package cards says how a node lies on the canvas: the size of its card, where its ports
// are, how long its texts may be, and so where everything goes when a workflow is
// arranged. The editor draws by it and a server lays out by it.
//
// Sizes and places are in dp. They depend on texts by an estimate of their width only, so
// that a workflow looks the same on every machine, whatever fonts that has.
package cards
