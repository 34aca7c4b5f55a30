package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/svcflow/svc/engine/durable"
)

// maxServers is the maximum number of servers in the list.
const maxServers = 20

// list is the file with the addresses of servers, last used first. It holds no secrets.
type list struct {
	path string
	mu   sync.Mutex
}

// listJSON is the content of the file.
type listJSON struct {
	Servers []string `json:"servers"`
}

// read returns the addresses. A missing file is an empty list; a damaged one is replaced by
// the next change.
func (l *list) read() ([]string, error) {
	text, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var file listJSON
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.path, err)
	}
	return file.Servers, nil
}

// change replaces the addresses by the result of how. Of two programs that do so at the same
// moment, one wins.
func (l *list) change(how func([]string) []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, _ := l.read() // a damaged list has nothing to lose
	known = how(known)
	text, err := json.MarshalIndent(listJSON{known[:min(len(known), maxServers)]}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	return durable.Replace(l.path, append(text, '\n'), durable.Options{})
}
