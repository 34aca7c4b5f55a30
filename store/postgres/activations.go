package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Activations is a [store.ActivationStore]; get it from [Store.Activations]. It is safe for
// concurrent use by any number of processes, one of which fires triggers.
type Activations struct {
	db pg.DB

	epoch atomic.Int64 // epoch in which this process fires triggers; 0 if it does not
}

var _ store.SharedActivations = (*Activations)(nil)

// Activations returns the activations in the database. It uses the connections of s; close s after
// the last use.
func (s *Store) Activations() *Activations {
	return &Activations{db: pg.DB{Pool: s.pool, Patience: patience}}
}

// activationText is the JSON of an activation without its document.
type activationText struct {
	Revision      int               `json:"revision"`
	Since         time.Time         `json:"since"`
	Armed         time.Time         `json:"armed,omitzero"`
	Concurrency   int               `json:"concurrency,omitempty"`
	OnInterrupted run.OnInterrupted `json:"onInterrupted"`
}

// activationRow is a row of svc_activations.
type activationRow struct{ workflow, about, document string }

func scanActivation(row pgx.Row) (r activationRow, err error) {
	err = row.Scan(&r.workflow, &r.about, &r.document)
	return r, err
}

func (r *activationRow) activation() (store.Activation, error) {
	var about activationText
	err := json.Unmarshal([]byte(r.about), &about)
	var def *workflow.Definition
	if err == nil {
		def, err = workflow.Decode([]byte(r.document), workflow.Limits{})
	}
	if err == nil && def.ID != r.workflow {
		err = fmt.Errorf("it is that of %q", def.ID)
	}
	if err != nil {
		return store.Activation{}, fmt.Errorf("the activation of %q cannot be read: %w", r.workflow, err)
	}
	return store.Activation{
		Revision: about.Revision, Since: about.Since, Armed: about.Armed, Concurrency: about.Concurrency, OnInterrupted: about.OnInterrupted, Definition: def,
	}, nil
}

const activationColumns = `select workflow, about, document from svc_activations `

// activationsRead is how many activations are read per query.
const activationsRead = 50

// Activations implements [store.ActivationStore].
func (s *Activations) Activations(ctx context.Context) iter.Seq2[store.Activation, error] {
	return func(yield func(store.Activation, error) bool) {
		for after := ""; ; {
			rows, err := pg.Collect(ctx, s.db, func(row pgx.CollectableRow) (activationRow, error) { return scanActivation(row) },
				activationColumns+`where workflow > $1 order by workflow limit $2`, after, activationsRead)
			if err != nil {
				yield(store.Activation{}, pg.Failed("list activations", err))
				return
			}
			for i := range rows {
				if !yield(rows[i].activation()) {
					return
				}
				after = rows[i].workflow
			}
			if len(rows) < activationsRead {
				return
			}
		}
	}
}

// Activation implements [store.ActivationStore].
func (s *Activations) Activation(ctx context.Context, workflowID string) (store.Activation, error) {
	if workflow.CheckID(workflowID) != nil {
		return store.Activation{}, store.ErrNotActive // such an id is not valid in a query either
	}
	row, err := scanActivation(s.db.One(ctx, activationColumns+`where workflow = $1`, workflowID))
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Activation{}, store.ErrNotActive
	}
	if err != nil {
		return store.Activation{}, pg.Failed("read an activation", err)
	}
	return row.activation()
}

// Memory implements [store.ActivationStore].
func (s *Activations) Memory(ctx context.Context, workflowID, nodeID string) (memory []byte, err error) {
	err = s.db.One(ctx, `select memory from svc_trigger_memory where workflow = $1 and node = $2`, workflowID, nodeID).Scan(&memory)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return memory, pg.Failed("read what a trigger remembers", err)
}

// Remember implements [store.ActivationStore]. If this process had the right to fire triggers and
// has lost it, it returns [store.ErrArmedElsewhere].
func (s *Activations) Remember(ctx context.Context, all ...store.TriggerMemory) error {
	err := s.db.Within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := stillArmed(ctx, tx, s.epoch.Load()); err != nil {
			return err
		}
		var b pgx.Batch
		for _, m := range all {
			if m.Memory == nil {
				b.Queue(`delete from svc_trigger_memory where workflow = $1 and node = $2`, m.WorkflowID, m.NodeID)
				continue
			}
			b.Queue(`insert into svc_trigger_memory (workflow, node, memory) select workflow, $2, $3 from svc_activations where workflow = $1 for share
				on conflict (workflow, node) do update set memory = excluded.memory`, m.WorkflowID, m.NodeID, string(m.Memory))
		}
		_, err := pg.Sent(ctx, tx, &b)
		return err
	})
	return pg.Failed("write what triggers remember", err)
}
