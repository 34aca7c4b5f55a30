package postgres

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/httpapi/audit"
)

// AuditLines is how many lines of the log are kept, about 100 MiB.
const AuditLines = 500_000

// auditPatience is how long who has made a change waits at most until that is told.
const auditPatience = time.Second

// Audit is an [audit.Keeper] of any number of processes: the lines of all are in one order. What
// comes while lines are written is written together, afterwards. A server that loses its power may
// lose the last second, as a file does. Make one with [Store.Audit]. It is safe for concurrent use.
type Audit struct {
	database

	mu      sync.Mutex
	next    *auditLines // nil if there are none
	writing bool
}

var _ audit.Keeper = (*Audit)(nil)

// auditLines are written together.
type auditLines struct {
	lines   []string
	written chan struct{} // closed then
	err     error
}

// Audit returns the log of the service in the database, over the connections of s, which has to be
// closed after it.
func (s *Store) Audit() *Audit { return &Audit{database: database{s.pool, auditPatience}} }

// Keep implements [audit.Keeper].
func (a *Audit) Keep(line []byte) error {
	a.mu.Lock()
	if a.next == nil {
		a.next = &auditLines{written: make(chan struct{})}
	}
	mine := a.next
	mine.lines = append(mine.lines, string(line))
	if !a.writing {
		a.writing = true
		go a.write()
	}
	a.mu.Unlock()
	<-mine.written
	return mine.err
}

// Close implements [audit.Keeper].
func (a *Audit) Close() error { return nil }

// write writes lines until there are none.
func (a *Audit) write() {
	for {
		a.mu.Lock()
		batch := a.next
		a.next, a.writing = nil, batch != nil
		a.mu.Unlock()
		if batch == nil {
			return
		}
		batch.err = failed("write lines", a.insert(batch.lines))
		close(batch.written)
	}
}

func (a *Audit) insert(lines []string) error {
	return a.within(context.Background(), func(ctx context.Context, tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`set local synchronous_commit = off`)
		b.Queue(`insert into svc_audit (line) select line from unnest($1::text[]) with ordinality l (line, n) order by n`, lines)
		_, err := sent(ctx, tx, &b)
		return err
	})
}

// Tell writes the last lines of the log, oldest first, each with an end of line; 0 is for all that
// there are.
func (a *Audit) Tell(ctx context.Context, last int, w io.Writer) error {
	query, args := `select line from svc_audit order by id`, []any(nil)
	if last > 0 {
		query, args = `select line from (select id, line from svc_audit order by id desc limit $1) l order by id`, []any{last}
	}
	rows, err := a.pool.Query(ctx, query, args...)
	if err != nil {
		return failed("read the log", err)
	}
	var line string
	var written error
	_, err = pgx.ForEachRow(rows, []any{&line}, func() error {
		_, written = io.WriteString(w, line+"\n")
		return written
	})
	if written != nil {
		return written
	}
	return failed("read the log", err)
}

// forgetAudit deletes the oldest lines, if there are too many.
func (s *Runs) forgetAudit(ctx context.Context) error {
	_, err := s.exec(ctx, `delete from svc_audit where id <= (select max(id) from svc_audit) - $1`, AuditLines)
	return err
}
