package clusterdb

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/httpapi/audit"
	"github.com/svcflow/svc/store/postgres/pg"
)

// AuditLines is the number of lines that [Tidy] keeps, about 100 MiB.
const AuditLines = 500_000

// auditPatience is how long a caller waits at most for the line of its change.
const auditPatience = time.Second

// Audit is an [audit.Keeper] for any number of processes; the lines of all have one order. Lines
// that arrive during a write are written together after it. A loss of power of the database server
// may cost the last second, as with a file. Make one with [NewAudit]. It is safe for concurrent use.
type Audit struct {
	db pg.DB

	mu      sync.Mutex
	next    *auditLines // nil if no lines are waiting
	writing bool
}

var _ audit.Keeper = (*Audit)(nil)

// auditLines are written together.
type auditLines struct {
	lines   []string
	written chan struct{} // closed after the write
	err     error
}

// NewAudit returns the audit log in a database.
func NewAudit(db pg.DB) *Audit {
	db.Patience = auditPatience
	return &Audit{db: db}
}

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

// write writes batches of lines until none are waiting.
func (a *Audit) write() {
	for {
		a.mu.Lock()
		batch := a.next
		a.next, a.writing = nil, batch != nil
		a.mu.Unlock()
		if batch == nil {
			return
		}
		batch.err = pg.Failed("write lines", a.insert(batch.lines))
		close(batch.written)
	}
}

func (a *Audit) insert(lines []string) error {
	return a.db.Within(context.Background(), func(ctx context.Context, tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`set local synchronous_commit = off`)
		b.Queue(`insert into svc_audit (line) select line from unnest($1::text[]) with ordinality l (line, n) order by n`, lines)
		_, err := pg.Sent(ctx, tx, &b)
		return err
	})
}

// Print writes the last lines of the log, oldest first, each with a line feed; 0 means all lines.
func (a *Audit) Print(ctx context.Context, last int, w io.Writer) error {
	query, args := `select line from svc_audit order by id`, []any(nil)
	if last > 0 {
		query, args = `select line from (select id, line from svc_audit order by id desc limit $1) l order by id`, []any{last}
	}
	rows, err := a.db.Pool.Query(ctx, query, args...)
	if err != nil {
		return pg.Failed("read the log", err)
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
	return pg.Failed("read the log", err)
}
