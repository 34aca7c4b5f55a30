// Package scene is how a level of a document is seen: its wires as curves, what lies at a
// place, the part that a view shows, the run that is laid over it, and the list of
// primitives to paint. It knows no toolkit; views paint what [Pen.Draw] gives.
//
// Distances in a scene are in dp, as documents store them; distances on the screen are in
// pixels. At a zoom of 1 they are the same.
package scene
