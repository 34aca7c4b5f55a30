// Package audit keeps the log of who has changed what at a service, and of calls that
// were refused: one JSON line for each, in a file or where many processes have theirs. It holds
// neither bodies nor secrets.
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
	// Limits on lines: refusals, for callers with a key and for all others, and synchronous runs.
	listedPerSecond = 1
	refusedAtOnce   = 100
	waitedAtOnce    = 1000
)

// Log is open for writing. It is safe for concurrent use, and so is what keeps its lines, by
// several processes. A nil Log discards everything. The limits on lines are those of each
// process.
type Log struct {
	to Keeper

	mu      sync.Mutex
	unknown bounded // refusals of callers without a key
	refused bounded
	waited  bounded
}

// Keeper keeps the lines of a log. Implementations are safe for concurrent use.
type Keeper interface {
	// Keep adds a line, which is JSON without an end of line. Once it returns, readers of
	// the log find the line after all earlier ones. After an error, the line may or may not be
	// there.
	Keep(line []byte) error
	// Close lets go of what Keep needs, until there is another line.
	Close() error
}

// bounded bounds the lines about calls of one kind.
type bounded struct {
	limit    *rate.Limiter
	unlisted int
}

// Open returns the log in a file, which is made with the first line, and gives way to a new one
// when it is long.
func Open(path string) *Log { return To(&file{path: path, maxBytes: maxBytes}) }

// To returns a log whose lines go to a keeper.
func To(k Keeper) *Log {
	kind := func(atOnce int) bounded { return bounded{limit: rate.NewLimiter(listedPerSecond, atOnce)} }
	return &Log{to: k, unknown: kind(refusedAtOnce), refused: kind(refusedAtOnce), waited: kind(waitedAtOnce)}
}

// Write adds a line. The error says that it is not in the log.
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

// lists reports whether to write a line, and adds the number of lines that were skipped before.
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

// Close closes what keeps the lines.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	return l.to.Close()
}
