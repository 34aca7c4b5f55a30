//go:build !race

package jsonnode

// raced is what the race detector would multiply memory by.
const raced = 1
