package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"strings"
)

// fileName returns the name of the file that holds the workflow id: a few
// characters for people and a hash that decides. It is the same on every file
// system: lower case, no reserved word, 78 bytes at most.
func fileName(id string) string {
	hash := sha256.Sum256([]byte(id))
	name := hex.EncodeToString(hash[:16]) + ".json"
	if slug := slugOf(id); slug != "" {
		return slug + "-" + name
	}
	return name
}

const maxSlug = 40

// slugOf keeps the ASCII letters and digits of id, with one dash for all that
// stands between them.
func slugOf(id string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		switch {
		case b.Len() == maxSlug:
			return strings.TrimSuffix(b.String(), "-")
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// isVisible reports whether a directory entry should be a workflow. Names that
// begin with a dot are the store's own.
func isVisible(e fs.DirEntry) bool {
	return !e.IsDir() && strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".")
}
