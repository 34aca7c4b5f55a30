package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Save implements [store.WorkflowStore].
func (s *Store) Save(ctx context.Context, def *workflow.Definition) (workflow.Meta, error) {
	return s.SaveIf(ctx, def, workflow.Condition{})
}

// SaveIf implements [store.Conditional].
func (s *Store) SaveIf(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (meta workflow.Meta, err error) {
	if err := workflow.CheckID(def.ID); err != nil {
		return workflow.Meta{}, fmt.Errorf("save workflow: %w", err)
	}
	next, err := revisionOf(def)
	if err != nil {
		return workflow.Meta{}, fmt.Errorf("save workflow: %w", err)
	}
	err = s.change(ctx, def.ID, cond, func(tx pgx.Tx, old current) error {
		if old.stored && old.digest == next.digest {
			meta = old.meta
			return nil
		}
		meta, err = next.save(ctx, tx, def.ID, old.meta)
		return err
	})
	return meta, pg.Failed("save workflow", err)
}

// Delete implements [store.WorkflowStore].
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.DeleteIf(ctx, id, workflow.Condition{})
}

// DeleteIf implements [store.Conditional].
func (s *Store) DeleteIf(ctx context.Context, id string, cond workflow.Condition) error {
	if workflow.CheckID(id) != nil {
		if !cond.Holds(false, "") {
			return fmt.Errorf("delete workflow: %w", workflow.ErrConflict)
		}
		return ctx.Err()
	}
	err := s.change(ctx, id, cond, func(tx pgx.Tx, _ current) error {
		_, err := tx.Exec(ctx, `delete from svc_workflows where id = $1`, id)
		return err
	})
	return pg.Failed("delete workflow", err)
}

// current is the stored state of a workflow.
type current struct {
	stored bool
	digest string
	meta   workflow.Meta
}

// change calls do in a transaction if cond holds. It locks the workflow.
func (s *Store) change(ctx context.Context, id string, cond workflow.Condition, do func(tx pgx.Tx, old current) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		// An advisory lock also works if the workflow has no row yet.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('svc workflow ' || $1, 0))`, id); err != nil {
			return err
		}
		old, err := lookUp(ctx, tx, id)
		if err != nil {
			return err
		}
		if !cond.Holds(old.stored, old.digest) {
			return workflow.ErrConflict
		}
		return do(tx, old)
	})
}

func lookUp(ctx context.Context, tx pgx.Tx, id string) (old current, err error) {
	row := tx.QueryRow(ctx, `select r.digest, r.about, r.revision, w.created, r.saved
		from svc_workflows w join svc_revisions r using (id, revision) where id = $1`, id)
	old.meta, err = readMeta(behind{row, &old.digest})
	old.stored = err == nil || errors.Is(err, store.ErrDamaged) // a damaged one can be overwritten
	if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, store.ErrDamaged) {
		err = nil
	}
	return old, err
}

// behind scans the first column of a row into first and the others as usual.
type behind struct {
	pgx.Row

	first any
}

// Scan implements [pgx.Row].
func (b behind) Scan(dest ...any) error { return b.Row.Scan(append([]any{b.first}, dest...)...) }

// revision is a document in its stored form.
type revision struct {
	digest, document, about string
	weight                  int
	meta                    workflow.Meta
}

// revisionOf refuses a definition, built by a program, that is no valid document: it could not be
// loaded again.
func revisionOf(def *workflow.Definition) (revision, error) {
	text := def.Format()
	if _, err := workflow.Decode(text, workflow.Limits{}); err != nil {
		return revision{}, err
	}
	meta := store.Describe(def)
	about, err := json.Marshal(meta)
	weight := len(text) + value.DecodedWeight(text)
	return revision{digest: def.Digest(), document: string(text), about: string(about), weight: weight, meta: meta}, err
}

// save makes r the current revision, after the one that old describes.
func (r revision) save(ctx context.Context, tx pgx.Tx, id string, old workflow.Meta) (workflow.Meta, error) {
	meta := r.meta
	// Later than the previous revision, even if clocks differ, and in the precision of the
	// database.
	meta.UpdatedAt = time.Now().UTC().Truncate(time.Microsecond)
	if earliest := old.UpdatedAt.Add(time.Microsecond); meta.UpdatedAt.Before(earliest) {
		meta.UpdatedAt = earliest
	}
	meta.Revision, meta.CreatedAt = old.Revision+1, old.CreatedAt
	if meta.CreatedAt.IsZero() {
		meta.CreatedAt = meta.UpdatedAt
	}
	var batch pgx.Batch
	batch.Queue(`insert into svc_workflows (id, revision, created, change) values ($1, $2, $3, nextval('svc_changes'))
		on conflict (id) do update set revision = excluded.revision, change = excluded.change`, id, meta.Revision, meta.CreatedAt)
	batch.Queue(`insert into svc_revisions (id, revision, saved, about, digest, weight, document) values ($1, $2, $3, $4, $5, $6, $7)`,
		id, meta.Revision, meta.UpdatedAt, r.about, r.digest, r.weight, r.document)
	batch.Queue(`delete from svc_revisions where id = $1 and revision between 2 and $2`, id, meta.Revision-keptRevisions)
	return meta, tx.SendBatch(ctx, &batch).Close()
}
