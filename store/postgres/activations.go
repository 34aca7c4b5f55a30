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
)

// Activations is a [store.ActivationStore]. Make one with [Store.Activations]. It is safe for
// concurrent use, by any number of processes, one of which lets triggers fire.
type Activations struct {
	database

	epoch atomic.Int64 // in which this process lets triggers fire; 0 if it does not
}

var _ store.ActivationStore = (*Activations)(nil)

// Activations returns the activations in the database, over the connections of s, which has to
// be closed after them.
func (s *Store) Activations() *Activations {
	return &Activations{database: database{s.pool, patience}}
}

// activationText is what is kept of an activation besides its document.
type activationText struct {
	Revision      int               `json:"revision"`
	Since         time.Time         `json:"since"`
	Concurrency   int               `json:"concurrency,omitempty"`
	OnInterrupted run.OnInterrupted `json:"onInterrupted"`
}

// activationRow is an activation as it is kept.
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
		Revision: about.Revision, Since: about.Since, Concurrency: about.Concurrency, OnInterrupted: about.OnInterrupted, Definition: def,
	}, nil
}

const activationColumns = `select workflow, about, document from svc_activations `

// activationsRead is how many activations are in memory at once.
const activationsRead = 50

// Activations implements [store.ActivationStore].
func (s *Activations) Activations(ctx context.Context) iter.Seq2[store.Activation, error] {
	return func(yield func(store.Activation, error) bool) {
		for after := ""; ; {
			rows, err := collect(ctx, s.database, func(row pgx.CollectableRow) (activationRow, error) { return scanActivation(row) },
				activationColumns+`where workflow > $1 order by workflow limit $2`, after, activationsRead)
			if err != nil {
				yield(store.Activation{}, failed("list activations", err))
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
		return store.Activation{}, store.ErrNotActive // nor could the database be asked for it
	}
	row, err := scanActivation(s.one(ctx, activationColumns+`where workflow = $1`, workflowID))
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Activation{}, store.ErrNotActive
	}
	if err != nil {
		return store.Activation{}, failed("read an activation", err)
	}
	return row.activation()
}

// Activate implements [store.ActivationStore].
func (s *Activations) Activate(ctx context.Context, a store.Activation) error {
	if err := workflow.CheckID(a.Definition.ID); err != nil {
		return err
	}
	about, err := json.Marshal(activationText{a.Revision, a.Since.UTC(), a.Concurrency, a.OnInterrupted})
	if err != nil {
		return err
	}
	_, err = s.exec(ctx, `insert into svc_activations (workflow, about, document) values ($1, $2, $3)
		on conflict (workflow) do update set about = excluded.about, document = excluded.document`,
		a.Definition.ID, string(about), string(a.Definition.AppendJSON(nil)))
	return failed("activate workflow", err)
}

// Deactivate implements [store.ActivationStore].
func (s *Activations) Deactivate(ctx context.Context, workflowID string) error {
	if workflow.CheckID(workflowID) != nil {
		return store.ErrNotActive
	}
	var b pgx.Batch
	b.Queue(`delete from svc_activations where workflow = $1`, workflowID)
	b.Queue(`delete from svc_trigger_memory where workflow = $1`, workflowID)
	rows, err := s.together(ctx, &b)
	if err == nil && rows[0] == 0 {
		err = refused(store.ErrNotActive)
	}
	return failed("deactivate workflow", err)
}

// Memory implements [store.ActivationStore].
func (s *Activations) Memory(ctx context.Context, workflowID, nodeID string) (memory []byte, err error) {
	err = s.one(ctx, `select memory from svc_trigger_memory where workflow = $1 and node = $2`, workflowID, nodeID).Scan(&memory)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return memory, failed("read what a trigger remembers", err)
}

// Remember implements [store.ActivationStore]. Who was to let triggers fire, and has been taken for
// dead since, remembers nothing: it is [store.ErrArmedElsewhere].
func (s *Activations) Remember(ctx context.Context, all ...store.TriggerMemory) error {
	err := s.within(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := s.fenced(ctx, tx); err != nil {
			return err
		}
		var b pgx.Batch
		for _, m := range all {
			if m.Memory == nil {
				b.Queue(`delete from svc_trigger_memory where workflow = $1 and node = $2`, m.WorkflowID, m.NodeID)
				continue
			}
			b.Queue(`insert into svc_trigger_memory (workflow, node, memory) values ($1, $2, $3)
				on conflict (workflow, node) do update set memory = excluded.memory`, m.WorkflowID, m.NodeID, string(m.Memory))
		}
		_, err := sent(ctx, tx, &b)
		return err
	})
	return failed("write what triggers remember", err)
}

// fenced refuses what this process does in an epoch that is over, and has nobody begin another
// before the transaction has ended.
func (s *Activations) fenced(ctx context.Context, tx pgx.Tx) error {
	mine := s.epoch.Load()
	if mine == 0 {
		return nil
	}
	var epoch int64
	if err := tx.QueryRow(ctx, `select epoch from svc_arming for share`).Scan(&epoch); err != nil {
		return err
	}
	if epoch != mine {
		return refused(store.ErrArmedElsewhere)
	}
	return nil
}
