//go:build !race

package code_test

// underRace says that the race detector is in these processes, which takes more memory for
// deep calls than a process of scripts may have.
const underRace = false
