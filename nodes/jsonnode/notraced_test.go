//go:build !race

package jsonnode

// raced is the factor by which the race detector multiplies memory.
const raced = 1
