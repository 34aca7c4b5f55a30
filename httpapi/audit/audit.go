// Package audit keeps the log of who has changed what at a service, and of calls that
// were refused: one JSON line for each, appended to a file that gives way to a new one
// when it is long. It holds neither bodies nor secrets.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/svcflow/svc/store/durable"
)

// File is the name of the log in a data directory.
const File = "audit.jsonl"

// Outcome is what came of a call.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // nothing was done: no key, no scope, no budget, another origin
	Failed  Outcome = "failed"  // by a fault of the service: it may have been done
)

// Entry is a line of the log.
type Entry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`            // the name of the key; "" if nobody knows
	From    string    `json:"from"`           // the address of the connection
	Does    string    `json:"does"`           // method and route, such as "DELETE /workflows/{id}"
	ID      string    `json:"id,omitempty"`   // of what it is about
	Outcome Outcome   `json:"outcome"`        //
	Status  int       `json:"status"`         // of HTTP
	Code    string    `json:"code,omitempty"` // of the problem
	Request string    `json:"request,omitempty"`
	// Unlisted is how many lines of this kind before this one are left out: nobody can fill
	// the log, and push changes out of it, by calls that are refused or by runs that are
	// waited for.
	Unlisted int `json:"unlisted,omitempty"`
	// Waited says that it is a run whose end the caller has waited for. There may be
	// thousands in a second.
	Waited bool `json:"-"`
}

const (
	maxBytes = 10 << 20 // of a file
	maxFiles = 10       // with the one that is written to

	// Calls of which only so many have lines of their own: refusals, for callers with a key
	// and for all others, and runs that are waited for.
	listedPerSecond = 1
	refusedAtOnce   = 100
	waitedAtOnce    = 1000
)

// Log is open for writing. It is safe for concurrent use, and so is its file, by several
// processes. A nil Log takes everything and keeps nothing.
type Log struct {
	path     string
	maxBytes int64

	mu      sync.Mutex
	file    *os.File // nil until something is written
	size    int64
	torn    bool    // the last line is not whole
	unknown bounded // refusals of who has no key
	refused bounded
	waited  bounded
}

// bounded bounds the lines about calls of one kind.
type bounded struct {
	limit    *rate.Limiter
	unlisted int
}

// Open returns the log at path. It is made with the first line.
func Open(path string) *Log {
	kind := func(atOnce int) bounded { return bounded{limit: rate.NewLimiter(listedPerSecond, atOnce)} }
	return &Log{path: path, maxBytes: maxBytes, unknown: kind(refusedAtOnce), refused: kind(refusedAtOnce), waited: kind(waitedAtOnce)}
}

// Write appends a line. The error says that it is not in the file.
func (l *Log) Write(e Entry) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.kindOf(&e); r != nil {
		if !r.limit.AllowN(e.Time, 1) {
			r.unlisted++
			return nil
		}
		e.Unlisted, r.unlisted = r.unlisted, 0
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := l.append(append(line, '\n')); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// kindOf returns what bounds the lines of this kind; nil for those that all are there.
func (l *Log) kindOf(e *Entry) *bounded {
	switch {
	case e.Outcome == Refused && e.Who == "":
		return &l.unknown
	case e.Outcome == Refused:
		return &l.refused
	case e.Waited:
		return &l.waited
	}
	return nil
}

// Close closes the file.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.close()
}

func (l *Log) close() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// append writes a line with one call of the system, so that those of several processes
// do not mix.
func (l *Log) append(line []byte) error {
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

func (l *Log) open() error {
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

// shift makes room for a new file: what was audit.jsonl becomes audit.jsonl.1, and so
// on, and the oldest is gone.
func (l *Log) shift() error {
	older := func(n int) string { return fmt.Sprintf("%s.%d", l.path, n) }
	for n := maxFiles - 2; n > 0; n-- {
		if err := os.Rename(older(n), older(n+1)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(l.path, older(1))
}
