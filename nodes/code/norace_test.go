//go:build !race

package code_test

// underRace reports whether the race detector is enabled. With it, deep calls need more
// memory than a child process may use.
const underRace = false
