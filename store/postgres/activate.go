package postgres

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// anyChange makes a change unconditional.
const anyChange = -1

// Activate implements [store.ActivationStore].
func (s *Activations) Activate(ctx context.Context, a store.Activation) error {
	return s.ActivateAt(ctx, a, anyChange)
}

// ActivateAt implements [store.SharedActivations].
func (s *Activations) ActivateAt(ctx context.Context, a store.Activation, last int64) error {
	if err := workflow.CheckID(a.Definition.ID); err != nil {
		return err
	}
	about, err := json.Marshal(activationText{a.Revision, a.Since.UTC(), a.Armed.UTC(), a.Concurrency, a.OnInterrupted})
	if err != nil {
		return err
	}
	err = s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		change, err := nextChange(ctx, tx, last)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into svc_activations (workflow, about, document, change) values ($1, $2, $3, $4)
			on conflict (workflow) do update set about = excluded.about, document = excluded.document, change = excluded.change`,
			a.Definition.ID, string(about), string(a.Definition.AppendJSON(nil)), change)
		return err
	})
	return pg.Failed("activate workflow", err)
}

// nextChange returns the number of a new change. It locks out other changes until the transaction
// ends.
func nextChange(ctx context.Context, tx pgx.Tx, last int64) (change int64, err error) {
	err = tx.QueryRow(ctx, `update svc_activation_changes set last = last + 1 returning last`).Scan(&change)
	if err == nil && last != anyChange && change != last+1 {
		err = pg.Refused(store.ErrActivationsChanged)
	}
	return change, err
}

// Deactivate implements [store.ActivationStore].
func (s *Activations) Deactivate(ctx context.Context, workflowID string) error {
	if workflow.CheckID(workflowID) != nil {
		return store.ErrNotActive
	}
	err := s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := nextChange(ctx, tx, anyChange); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `delete from svc_activations where workflow = $1`, workflowID)
		if err == nil && tag.RowsAffected() == 0 {
			err = pg.Refused(store.ErrNotActive)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `delete from svc_trigger_memory where workflow = $1`, workflowID)
		}
		return err
	})
	return pg.Failed("deactivate workflow", err)
}

// Changed implements [store.SharedActivations].
func (s *Activations) Changed(ctx context.Context) (last int64, err error) {
	err = s.db.One(ctx, `select last from svc_activation_changes`).Scan(&last)
	return last, pg.Failed("look for changes of activations", err)
}

// Actives implements [store.SharedActivations].
func (s *Activations) Actives(ctx context.Context) (of map[string]int64, last int64, err error) {
	if last, err = s.Changed(ctx); err != nil { // first: a change in between is found by the next call
		return nil, 0, err
	}
	type active struct {
		workflow string
		change   int64
	}
	all, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (a active, err error) { return a, row.Scan(&a.workflow, &a.change) },
		`select workflow, change from svc_activations`)
	of = make(map[string]int64, len(all))
	for _, a := range all {
		of[a.workflow] = a.change
	}
	return of, last, pg.Failed("list activations", err)
}
