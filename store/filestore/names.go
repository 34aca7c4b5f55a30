package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// Parts of the name of a workflow file.
const (
	suffix    = ".json"
	hashBytes = 16                                   // of the hash of the id
	hashed    = len("-") + 2*hashBytes + len(suffix) // length of dash, hash and suffix
)

// fileName returns the name of the file of a workflow: a readable part and a hash of the id, which
// makes it unique. The name works on every file system: lower case, no reserved word, at most 78
// bytes.
func fileName(id string) string {
	hash := sha256.Sum256([]byte(id))
	name := hex.EncodeToString(hash[:hashBytes]) + suffix
	if slug := slugOf(id); slug != "" {
		return slug + "-" + name
	}
	return name
}

// paths caches the paths of workflow files. Every run needs the path of its workflow, and computing
// it takes half as long as a stat of the file. The zero paths is ready for use.
type paths struct {
	mu   sync.RWMutex
	byID map[string]string
}

// maxPaths is the number of cached paths at which the cache is cleared.
const maxPaths = 4096

// of returns the path of the workflow file in dir.
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

// slugOf returns the ASCII letters and digits of id, in lower case, with one dash for everything in
// between.
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

// isDocument reports whether a file called name should be a workflow. Names that begin with a dot
// belong to the store itself.
func isDocument(name string) bool {
	return strings.HasSuffix(name, suffix) && !strings.HasPrefix(name, ".")
}
