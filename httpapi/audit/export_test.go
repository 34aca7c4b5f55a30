package audit

// OpenSmall is Open with another bound for a file.
func OpenSmall(path string, maxBytes int64) *Log {
	return To(&file{path: path, maxBytes: maxBytes})
}

// MaxFiles is how many files there are at most.
const MaxFiles = maxFiles
