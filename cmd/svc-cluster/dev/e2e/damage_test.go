package e2e

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// TestRowsAndTasksThatSomebodyHasMade edits rows of runs, and creates unknown tasks and signals at
// Temporal. No process stops, and no other run is affected. An unreadable run ends, or is reported
// as damaged, and can be deleted.
func TestRowsAndTasksThatSomebodyHasMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.instance()
	first := w.member(20, "")
	const withValue = `{"id":"m","type":"here.make","config":{"bytes":3000000}},` + inARow
	driven := map[string]string{
		"frames that do not parse":      `update svc_frames set data = '{"oops' where run = $1 and seq = 2`,
		"frames that are not there":     `delete from svc_frames where run = $1 and seq = 2`,
		"pieces that are not there":     `delete from svc_values where run = $1 and piece = 1`,
		"pieces of another value":       `update svc_values set data = 'yyy' || substr(data, 4) where run = $1 and piece = 0`,
		"more frames than there are":    `update svc_runs set frames = frames + 7 where id = $1`,
		"documents that are not there":  `delete from svc_documents d using svc_starts s where d.digest = s.document and s.id = $1`,
		"a start that is not there":     `delete from svc_starts where id = $1`,
		"a status that there is not":    `update svc_runs set status = 'dancing' where id = $1`,
		"inputs that do not parse":      `update svc_starts set inputs = '{"oops' where id = $1`,
		"a document that does not pars": `update svc_documents d set text = '{"oops' from svc_starts s where d.digest = s.document and s.id = $1`,
	}
	ids := map[string]string{}
	for name := range driven {
		nodes := withValue + `,{"id":"` + strings.ReplaceAll(name, " ", "_") + `","type":"control.value","config":{"value":1}}` // each run gets a different document
		ids[name] = w.started(a, nodes)
	}
	well := w.started(a, withValue)
	w.until(time.Minute, "the runs are under way", func() bool {
		for _, id := range append(values(ids), well) {
			if w.changes([]string{id})[id].Frames < 6 {
				return false
			}
		}
		return true
	})
	first.kill()
	c, err := pgx.Connect(t.Context(), w.database)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close(t.Context())) }()
	for name, statement := range driven {
		tag, err := c.Exec(t.Context(), statement, ids[name])
		require.NoError(t, err, name)
		require.Positive(t, tag.RowsAffected(), name)
	}
	for _, foreign := range []struct{ id, workflow string }{{"not-an-id", "svc.run"}, {uuid.NewString(), "svc.run"}, {"a-call", "svc.call"}, {"else", "somebody.elses"}} {
		_, err := w.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: foreign.id, TaskQueue: "svc"}, foreign.workflow, "nonsense", 7)
		require.NoError(t, err)
	}
	require.NoError(t, w.client.SignalWorkflow(t.Context(), well, "", "nonsense", "x"))
	second := w.member(20, "")
	require.Equal(t, engine.StatusCompleted, w.ended([]string{well}, 2*time.Minute)[well])
	for name, id := range ids {
		w.until(2*time.Minute, "it ends, or is told to be damaged: "+name, func() bool { return isOver(t, a, name, id) })
		require.NoError(t, a.DeleteRun(t.Context(), id), name)
		_, err := a.Record(t.Context(), id)
		require.ErrorIs(t, err, store.ErrRunNotFound, name)
	}
	again := w.started(a, `{"id":"a","type":"here.note"}`)
	require.Equal(t, engine.StatusCompleted, w.ended([]string{again}, time.Minute)[again])
	second.end()
}

func values(m map[string]string) (all []string) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

// isOver reports whether a run has ended or is damaged.
func isOver(t *testing.T, a *app.App, name, id string) bool {
	t.Helper()
	r, err := a.Run(t.Context(), id)
	if err == nil && r.Status != engine.StatusRunning {
		t.Logf("%s: %s %v", name, r.Status, r.Result.Error)
	} else if err != nil {
		t.Logf("%s: %v", name, err)
	}
	return errors.Is(err, store.ErrRunDamaged) || err == nil && r.Status != engine.StatusRunning
}
