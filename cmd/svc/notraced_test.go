//go:build !race

package main

// raced reports whether the race detector looks on.
const raced = false
