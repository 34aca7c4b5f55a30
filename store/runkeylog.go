package store

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/svcflow/svc/store/durable"
)

// keyLog is the file of the idempotency keys whose runs are not kept any more: a JSON
// object on each line. A line that a crash has torn is passed over.
type keyLog struct {
	disk disk
	path string

	mu   sync.Mutex
	size int64
}

const (
	keyLogName = ".keys"
	longestKey = 64 << 10 // bytes of a line
)

// openKeys reads the keys that still stand for their runs, and leaves out the others.
func (s *RunFiles) openKeys() error {
	s.keys = &keyLog{disk: s.disk, path: filepath.Join(s.dir, keyLogName)}
	f, err := os.Open(s.keys.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, longestKey)
	for lines.Scan() {
		var k goneKey
		if json.Unmarshal(lines.Bytes(), &k) == nil {
			s.index.bury(k, time.Now())
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return s.keys.rewrite(s.index.gone)
}

// rewrite makes the file hold just these keys.
func (l *keyLog) rewrite(keys map[string]goneKey) error {
	var text []byte
	for _, k := range keys {
		text = k.appendLine(text)
	}
	if err := durable.Replace(l.path, text, durable.Options{}); err != nil {
		return err
	}
	l.size = int64(len(text))
	return nil
}

// add writes down the keys of runs that are being forgotten, before their files go.
func (l *keyLog) add(forgotten []*runEntry[fileRun]) error {
	var text []byte
	for _, e := range forgotten {
		if k := e.lastOf(); k.lives(time.Now()) {
			text = k.appendLine(text)
		}
	}
	if text == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f, err := l.disk.Open(l.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was synced
	if _, err := f.WriteAt(text, l.size); err != nil {
		return err
	}
	l.size += int64(len(text))
	return f.Sync()
}

func (k goneKey) appendLine(dst []byte) []byte {
	text, _ := json.Marshal(k) // texts and a time cannot fail
	return append(append(dst, text...), '\n')
}
