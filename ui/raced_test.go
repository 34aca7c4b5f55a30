//go:build race

package ui

// raced reports whether the race detector looks on, which makes everything ten times as slow.
const raced = true
