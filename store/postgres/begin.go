package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Begin implements [store.SharedRuns].
func (s *Runs) Begin(ctx context.Context, start run.Start, limits store.SharedLimits) error {
	if err := s.begin(ctx, &start, limits); err != nil {
		return pg.Failed("begin run", err)
	}
	return nil
}

func (s *Runs) begin(ctx context.Context, start *run.Start, limits store.SharedLimits) error {
	row, err := newRow(start)
	if err != nil {
		return pg.Refused(err)
	}
	if row.start.Record.Status == engine.StatusRunning {
		row.places = limits.Unfinished
	}
	if start.IdempotencyKey != "" {
		if err := s.roomForKey(ctx); err != nil {
			return err
		}
	}
	if err := s.makePlaces(ctx, row.places); err != nil {
		return err
	}
	return s.inDay(ctx, row.id, func(ctx context.Context, tx pgx.Tx) error {
		if err := stillArmed(ctx, tx, limits.Armed); err != nil {
			return err
		}
		return row.begin(ctx, tx)
	})
}

// inDay runs a transaction for a run. If the partitions of its day are missing, inDay creates them
// and tries again.
func (s *Runs) inDay(ctx context.Context, id uuid.UUID, do func(ctx context.Context, tx pgx.Tx) error) error {
	err := s.db.Within(ctx, do)
	if !pg.Violates(err, pg.CheckViolation) {
		return err
	}
	at := timeOf(id)
	s.days.note(firstOf(at), false)
	if err := s.makeDays(ctx, at); err != nil {
		return err
	}
	return s.db.Within(ctx, do)
}

// beginning is a new run in its stored form.
type beginning struct {
	id        uuid.UUID
	start     *runtext.StartRow
	startedBy *string
	key       []byte
	request   string // digest of the request that came with the key
	places    int    // number of run slots, one of which the run takes; 0 if it takes none
	bytes     int64
}

func newRow(start *run.Start) (*beginning, error) {
	id, err := store.SharedID(start.RunID)
	if err != nil {
		return nil, err
	}
	row, err := runtext.NewStartRow(start)
	if err != nil {
		return nil, err
	}
	b := &beginning{id: id, start: row, key: []byte(start.IdempotencyKey), request: start.RequestDigest, bytes: int64(len(row.Inputs))}
	if start.Document == nil {
		b.bytes += int64(len(row.Document.Text)) // the document is not shared
	}
	for _, h := range row.Holes {
		b.bytes += int64(h.Size)
	}
	if start.StartedBy != nil {
		text, err := json.Marshal(start.StartedBy)
		if err != nil {
			return nil, err
		}
		by := string(text)
		b.startedBy = &by
	}
	return b, nil
}

// Statements of Begin. Each one changes no row if it is refused.
const (
	holdKey = `insert into svc_keys as k (key, run, digest, started) values ($1, $2, $3, $4)
		on conflict (key) do update set run = excluded.run, digest = excluded.digest, started = excluded.started
		where k.started <= $5 and not (get_byte(k.key, 0) = 0 and exists (select from svc_runs r where r.id = k.run))`
	holdResumed = `insert into svc_resumed (run, by) values ($1, $2) on conflict do nothing`
	insertRun   = `insert into svc_runs (id, workflow, started, status, resumed_from, started_by, bytes, admitted) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict do nothing`
	insertStart = `insert into svc_starts (id, summary, inputs, about, document) values ($1, $2, $3, $4, $5) on conflict do nothing`
	hasDocument = `select from svc_documents where day = $1 and digest = $2`
	takePlace   = `update svc_places p set run = $1 from (select place from svc_places where run is null and place < $2 and not exists (select from svc_places where run = $1)
		and coalesce((select max(place) from svc_places where run is not null), -1) < $2 order by place limit 1 for update skip locked) f where p.place = f.place`
)

// begin inserts all rows, or returns why not; the transaction is then rolled back.
func (b *beginning) begin(ctx context.Context, tx pgx.Tx) error {
	r := &b.start.Record
	var batch pgx.Batch
	var refusals []error // the error if a statement changes no row
	queue := func(why error, query string, args ...any) {
		refusals = append(refusals, why)
		batch.Queue(query, args...)
	}
	queue(fmt.Errorf("run %s: %w", r.RunID, fs.ErrExist), insertRun, b.id, r.WorkflowID, r.StartedAt, r.Status.String(), nullable(r.ResumedFrom), b.startedBy, b.bytes,
		r.Status != engine.StatusWaiting)
	if len(b.key) > 0 {
		queue(errKeyHeld, holdKey, b.key, b.id, b.request, r.StartedAt, time.Now().Add(-run.KeyLife))
	}
	if r.ResumedFrom != "" {
		queue(store.ErrRunResumed, holdResumed, r.ResumedFrom, b.id)
	}
	if b.places > 0 {
		queue(store.ErrNoPlace, takePlace, b.id, b.places)
	}
	b.queueStart(queue)
	rows, err := pg.Sent(ctx, tx, &batch)
	if err != nil {
		return err
	}
	for i, why := range refusals {
		switch {
		case rows[i] > 0 || why == nil:
		case errors.Is(why, errKeyHeld):
			return heldBy(ctx, tx, b.key)
		default:
			return pg.Refused(why)
		}
	}
	if rows[len(rows)-1] == 0 {
		return b.saveDocument(ctx, tx)
	}
	return nil
}

// queueStart queues the statements that store the start. The last one reports whether the workflow
// is already stored.
func (b *beginning) queueStart(queue func(why error, query string, args ...any)) {
	d := b.start.Document.Digest
	queue(nil, insertStart, b.id, string(b.start.Summary), string(b.start.Inputs), b.start.About, d[:])
	for _, h := range b.start.Holes {
		eachPiece(h.Text, func(n int, piece string) { queue(nil, insertPiece, b.id, h.Digest[:], n, piece) })
	}
	queue(nil, hasDocument, firstOf(timeOf(b.id)), d[:])
}

func (b *beginning) saveDocument(ctx context.Context, tx pgx.Tx) error {
	d := b.start.Document
	_, err := tx.Exec(ctx, `insert into svc_documents (day, digest, text) values ($1, $2, $3) on conflict do nothing`,
		firstOf(timeOf(b.id)), d.Digest[:], string(d.Text))
	return err
}

var errKeyHeld = errors.New("the key is held")

// heldBy returns the error that names the run of a key.
func heldBy(ctx context.Context, tx pgx.Tx, key []byte) error {
	held, gone, err := readKey(tx.QueryRow(ctx, selectKey, key))
	if err != nil {
		return err
	}
	return pg.Refused(&store.KeyHeldError{Start: held, Gone: gone})
}

const selectKey = `select k.run::text, k.digest, k.started, not exists (select from svc_runs r where r.id = k.run), k.key from svc_keys k where k.key = $1`

func readKey(row pgx.Row) (held run.Start, gone bool, err error) {
	var key []byte
	err = row.Scan(&held.RunID, &held.RequestDigest, &held.StartedAt, &gone, &key)
	held.StartedAt, held.IdempotencyKey = held.StartedAt.UTC(), string(key)
	return held, gone, err
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
