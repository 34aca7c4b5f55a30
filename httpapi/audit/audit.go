// Package audit records changes at a service, and refused calls, as JSON lines in a file or in a
// shared store. The log contains neither bodies nor secrets.
package audit

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// File is the name of the log in a data directory.
const File = "audit.jsonl"

// Outcome is the outcome of a call.
type Outcome string

// The outcomes.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // nothing was done: no key, scope or budget, or a foreign origin
	Failed  Outcome = "failed"  // internal error; the change may have been made
)

// Entry is a line of the log.
type Entry struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`            // name of the key; "" if unknown
	From    string    `json:"from"`           // address of the connection
	Does    string    `json:"does"`           // method and route, such as "DELETE /workflows/{id}"
	ID      string    `json:"id,omitempty"`   // of the object
	Outcome Outcome   `json:"outcome"`        //
	Status  int       `json:"status"`         // HTTP status
	Code    string    `json:"code,omitempty"` // of the problem
	Request string    `json:"request,omitempty"`
	// Unlisted is the number of lines of this kind that were skipped before this one. Skipping
	// prevents that refused calls or synchronous runs push changes out of the log.
	Unlisted int `json:"unlisted,omitempty"`
	// Waited says that the call is a synchronous run. There may be thousands per second.
	Waited bool `json:"-"`
}

const (
	// Limits on lines, for refusals of callers with a key, for other refusals, and for synchronous
	// runs.
	listedPerSecond = 1
	refusedAtOnce   = 100
	waitedAtOnce    = 1000
)

// Log writes the audit log. It is safe for concurrent use, also by several processes on the same
// log. A nil Log discards everything. The limits on lines apply to each process.
type Log struct {
	to Keeper

	mu      sync.Mutex
	unknown bounded // refusals of callers without a key
	refused bounded
	waited  bounded
}

// Keeper stores the lines of a log. Implementations are safe for concurrent use.
type Keeper interface {
	// Keep adds a JSON line, without a line feed. Once it returns, readers find the line after all
	// earlier ones. After an error, the line may or may not be stored.
	Keep(line []byte) error
	// Close releases resources. A later Keep acquires them again.
	Close() error
}

// bounded limits the lines of one kind.
type bounded struct {
	limit    *rate.Limiter
	unlisted int
}

// Open returns the log in a file. The file is created with the first line, and rotated when it is
// long.
func Open(path string) *Log { return To(&file{path: path, maxBytes: maxBytes}) }

// To returns a log that writes to k.
func To(k Keeper) *Log {
	kind := func(atOnce int) bounded { return bounded{limit: rate.NewLimiter(listedPerSecond, atOnce)} }
	return &Log{to: k, unknown: kind(refusedAtOnce), refused: kind(refusedAtOnce), waited: kind(waitedAtOnce)}
}

// Write adds a line. An error means that the line is not in the log.
func (l *Log) Write(e Entry) error {
	if l == nil || !l.lists(&e) {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := l.to.Keep(line); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// lists reports whether to write a line, and sets the number of lines skipped before.
func (l *Log) lists(e *Entry) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.kindOf(e)
	if r == nil {
		return true
	}
	if !r.limit.AllowN(e.Time, 1) {
		r.unlisted++
		return false
	}
	e.Unlisted, r.unlisted = r.unlisted, 0
	return true
}

// kindOf returns the limit for this kind of lines; nil if there is no limit.
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

// Close closes the keeper.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.to.Close()
}
