package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/postgres/pg"
)

const recordColumns = `select id::text, workflow, started, finished, status, resumed_from, started_by, frames from svc_runs`

// Record implements [store.RunReader].
func (s *Runs) Record(ctx context.Context, runID string) (run.Record, error) {
	r, err := s.record(ctx, runID)
	return r, pg.Failed("find run", err)
}

func (s *Runs) record(ctx context.Context, runID string) (run.Record, error) {
	id, err := parseID(runID)
	if err != nil {
		return run.Record{}, err
	}
	row, err := scanRecord(s.db.One(ctx, recordColumns+` where id = $1`, id))
	if err != nil {
		return run.Record{}, notFound(err)
	}
	return row.record()
}

// recordRow is a row of recordColumns.
type recordRow struct {
	run.Record

	status                 string
	finished               *time.Time
	resumedFrom, startedBy *string
}

func scanRecord(row pgx.Row) (r recordRow, err error) {
	err = row.Scan(&r.RunID, &r.WorkflowID, &r.StartedAt, &r.finished, &r.status, &r.resumedFrom, &r.startedBy, &r.Frames)
	return r, err
}

// record returns the record of the row, or [store.ErrRunDamaged] if the row contradicts itself,
// because it was edited by hand.
func (r *recordRow) record() (run.Record, error) {
	made := r.Record
	made.StartedAt = made.StartedAt.UTC()
	err := made.Status.UnmarshalText([]byte(r.status))
	if err == nil && (made.Status.GoesOn() != (r.finished == nil) || made.Frames < 0) {
		err = errors.New("its record contradicts itself")
	}
	if r.finished != nil {
		made.FinishedAt = r.finished.UTC()
	}
	if r.resumedFrom != nil {
		made.ResumedFrom = *r.resumedFrom
	}
	if r.startedBy != nil && err == nil {
		made.StartedBy = &run.StartedBy{}
		err = json.Unmarshal([]byte(*r.startedBy), made.StartedBy)
	}
	if err != nil {
		return run.Record{}, fmt.Errorf("%w %s: %w", store.ErrRunDamaged, r.RunID, err)
	}
	return made, nil
}

// Records implements [store.RunReader].
func (s *Runs) Records(ctx context.Context, q run.Query) (run.Page, error) {
	page, err := s.records(ctx, q)
	return page, pg.Failed("list runs", err)
}

func (s *Runs) records(ctx context.Context, q run.Query) (run.Page, error) {
	limit := q.Size()
	page := run.Page{Items: []run.Record{}}
	for {
		query, args, err := queryOf(q, limit+1)
		if err != nil {
			return run.Page{}, err
		}
		rows, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (recordRow, error) { return scanRecord(row) }, query, args...)
		if err != nil {
			return run.Page{}, err
		}
		for i := range rows {
			r, err := rows[i].record()
			if err != nil {
				continue // skip damaged runs
			}
			if len(page.Items) == limit {
				page.NextCursor = runtext.CursorAt(page.Items[limit-1])
				return page, nil
			}
			r.Frames = 0
			page.Items = append(page.Items, r)
		}
		if len(rows) <= limit {
			return page, nil
		}
		q.Cursor = runtext.CursorAt(run.Record{RunID: rows[limit].RunID, StartedAt: rows[limit].StartedAt})
	}
}

// queryOf returns the query for up to limit records.
func queryOf(q run.Query, limit int) (query string, args []any, err error) {
	var where []string
	and := func(condition string, arg any) {
		args = append(args, arg)
		where = append(where, strings.ReplaceAll(condition, "$", "$"+strconv.Itoa(len(args))))
	}
	if q.WorkflowID != "" {
		and(`workflow = $`, q.WorkflowID)
	}
	if q.ResumedFrom != "" {
		and(`resumed_from = $`, q.ResumedFrom)
	}
	switch q.Status {
	case 0:
	case engine.StatusRunning, engine.StatusWaiting:
		and(`finished is null and status = $`, q.Status.String())
	default:
		and(`status = $`, q.Status.String())
	}
	if q.Cursor != "" {
		started, runID, err := runtext.ReadCursor(q.Cursor)
		if err != nil {
			return "", nil, err
		}
		id, err := store.SharedID(runID)
		if err != nil {
			return "", nil, fmt.Errorf("%w: %.40q", store.ErrInvalidCursor, q.Cursor)
		}
		args = append(args, started, id)
		where = append(where, fmt.Sprintf(`(started, id) < ($%d, $%d)`, len(args)-1, len(args)))
	}
	query = recordColumns
	if len(where) > 0 {
		query += ` where ` + strings.Join(where, ` and `)
	}
	return query + ` order by started desc, id desc limit ` + strconv.Itoa(limit), args, nil
}

// ByKey implements [store.RunReader].
func (s *Runs) ByKey(ctx context.Context, key string) (run.Start, error) {
	held, gone, err := readKey(s.db.One(ctx, selectKey, []byte(key)))
	own := strings.HasPrefix(key, "\x00")
	switch err = notFound(err); {
	case err != nil:
	case time.Since(held.StartedAt) >= run.KeyLife && (!own || gone):
		err = store.ErrRunNotFound
	case gone:
		return held, store.ErrRunGone
	}
	if err != nil {
		return run.Start{}, pg.Failed("find run by its key", err)
	}
	return held, nil
}

// Start implements [store.RunReader].
func (s *Runs) Start(ctx context.Context, runID string) (run.Start, error) {
	start, err := s.start(ctx, runID)
	return start, pg.Failed("read run "+runID, err)
}

func (s *Runs) start(ctx context.Context, runID string) (run.Start, error) {
	id, err := parseID(runID)
	if err != nil {
		return run.Start{}, err
	}
	var summary, inputs, about, document *string
	var digest []byte
	err = s.db.One(ctx, `select s.summary, s.inputs, s.about, s.document, d.text from svc_runs r
		left join svc_starts s using (id) left join svc_documents d on d.day = $2 and d.digest = s.document where r.id = $1`,
		id, firstOf(timeOf(id))).Scan(&summary, &inputs, &about, &digest, &document)
	if err != nil {
		return run.Start{}, notFound(err)
	}
	if summary == nil || document == nil || len(digest) != len(run.Digest{}) {
		return run.Start{}, fmt.Errorf("%w %s: what it was started with is not there", store.ErrRunDamaged, runID)
	}
	row := runtext.StartRow{
		Summary: []byte(*summary), Inputs: []byte(*inputs), About: *about,
		Document: &run.Document{Digest: run.Digest(digest), Text: []byte(*document)},
	}
	return row.Start(runID, inputValues{ctx, s, runID})
}

// inputValues provides the large inputs of a run.
type inputValues struct {
	ctx   context.Context //nolint:containedctx // as [run.Source] has it
	runs  *Runs
	runID string
}

// Value implements [run.Source].
func (v inputValues) Value(d run.Digest) ([]byte, error) { return v.runs.Value(v.ctx, v.runID, d) }

// Frame implements [run.Source]; inputs refer to no frame.
func (v inputValues) Frame(int) (run.Frame, error) { return run.Frame{}, store.ErrNoValue }

// Nodes implements [run.Source].
func (v inputValues) Nodes(int) (run.Frame, error) { return run.Frame{}, store.ErrNoValue }

func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return store.ErrRunNotFound
	}
	return err
}
