// Package scene is the picture of a document's level: wires as curves, hit testing, the
// viewport, the run shown on it, and the list of primitives to paint. It knows no toolkit;
// views paint what [Pen.Draw] returns.
//
// Distances in a scene are in dp, as documents store them; distances on the screen are in
// pixels. At a zoom of 1 they are the same.
package scene
