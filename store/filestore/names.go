package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// What the name of a workflow's file ends with.
const (
	suffix    = ".json"
	hashBytes = 16                                   // of the hash of the id
	hashed    = len("-") + 2*hashBytes + len(suffix) // how long it is
)

// fileName returns the name of the file that holds the workflow id: a few
// characters for people and a hash that decides. It is the same on every file
// system: lower case, no reserved word, 78 bytes at most.
func fileName(id string) string {
	hash := sha256.Sum256([]byte(id))
	name := hex.EncodeToString(hash[:hashBytes]) + suffix
	if slug := slugOf(id); slug != "" {
		return slug + "-" + name
	}
	return name
}

// paths remembers where the files of workflows are: a run asks for that of its workflow, and
// to hash an id and to join a path costs half as much as to ask the system about the file.
// The zero paths is ready for use.
type paths struct {
	mu   sync.RWMutex
	byID map[string]string
}

// maxPaths is how many are remembered before all are forgotten.
const maxPaths = 4096

// of returns the path of the file in dir that holds the workflow id.
func (p *paths) of(id, dir string) string {
	p.mu.RLock()
	path, ok := p.byID[id]
	p.mu.RUnlock()
	if ok {
		return path
	}
	path = filepath.Join(dir, fileName(id))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil || len(p.byID) >= maxPaths {
		p.byID = map[string]string{}
	}
	p.byID[id] = path
	return path
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

// isVisible reports whether a directory entry should be a workflow.
func isVisible(e fs.DirEntry) bool { return isDocument(e.Name()) && !e.IsDir() }

// isDocument reports whether a file of that name should be a workflow. Names that begin with
// a dot are the store's own.
func isDocument(name string) bool {
	return strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".")
}
