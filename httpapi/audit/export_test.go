package audit

// OpenSmall is Open with a given size limit for a file.
func OpenSmall(path string, maxBytes int64) *Log {
	return To(&file{path: path, maxBytes: maxBytes})
}

// MaxFiles is the largest number of files.
const MaxFiles = maxFiles
