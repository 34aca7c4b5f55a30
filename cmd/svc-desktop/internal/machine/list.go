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

// maxServers is how many servers are kept.
const maxServers = 20

// list is the file with the addresses of servers, the last one used first. It holds no
// secret.
type list struct {
	path string
	mu   sync.Mutex
}

// listJSON is what is in the file.
type listJSON struct {
	Servers []string `json:"servers"`
}

// read returns the addresses. That there is no file means that there are none, and of
// one that is damaged the next change makes a new one.
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

// change replaces the addresses by what how makes of them. Of two programs that do so
// at the same moment, one wins.
func (l *list) change(how func([]string) []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, _ := l.read() // there is nothing to lose
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
