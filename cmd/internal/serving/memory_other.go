//go:build !unix

package serving

// dataLimit returns false: this system has no RLIMIT_DATA.
func dataLimit() (bytes int64, limited bool) { return 0, false }
