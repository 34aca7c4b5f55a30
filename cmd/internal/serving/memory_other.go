//go:build !unix

package serving

// dataLimit is for systems that bound the data of a process.
func dataLimit() (bytes int64, limited bool) { return 0, false }
