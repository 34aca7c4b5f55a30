//go:build !unix

package main

// dataLimit is for systems that bound the data of a process.
func dataLimit() (bytes int64, limited bool) { return 0, false }
