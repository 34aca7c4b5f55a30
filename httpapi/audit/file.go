package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/svcflow/svc/engine/durable"
)

const (
	maxBytes = 10 << 20 // of a file
	maxFiles = 10       // including the current one
)

// file is a [Keeper] that writes a file and rotates it.
type file struct {
	path     string
	maxBytes int64

	mu   sync.Mutex
	file *os.File // nil until the first line
	size int64
	torn bool // the last line is incomplete
}

// Keep implements [Keeper].
func (l *file) Keep(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.append(append(line, '\n'))
}

// Close implements [Keeper].
func (l *file) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.close()
}

func (l *file) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// append writes a line with one system call, so that lines of several processes do not mix.
func (l *file) append(line []byte) error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size > 0 && l.size+int64(len(line)) > l.maxBytes {
		if err := errors.Join(l.close(), l.shift(), l.open()); err != nil {
			return err
		}
	}
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if n > 0 {
		l.torn = n < len(line)
	}
	return err
}

func (l *file) open() error {
	if err := durable.MakeDir(filepath.Dir(l.path)); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.size = file, size
	return nil
}

// shift rotates the files: audit.jsonl becomes audit.jsonl.1, and so on; the oldest is removed.
func (l *file) shift() error {
	older := func(n int) string { return fmt.Sprintf("%s.%d", l.path, n) }
	for n := maxFiles - 2; n > 0; n-- {
		if err := os.Rename(older(n), older(n+1)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(l.path, older(1))
}
