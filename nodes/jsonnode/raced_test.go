//go:build race

package jsonnode

// raced is by how much the memory that the race detector keeps of each word makes a
// process larger.
const raced = 8
