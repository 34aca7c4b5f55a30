package app

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store/memstore"
)

// shop keeps all that an App has, for one after the other to open.
type shop struct {
	t         *testing.T
	c         *counter
	workflows memstore.Workflows
	runs      memstore.Runs
	active    memstore.ActivationStore
	app       *App
}

// inShop calls f in a bubble of package synctest.
func inShop(t *testing.T, f func(t *testing.T, s *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t, c: newCounter()}
		s.open(true)
		defer func() { require.NoError(t, s.app.Close(t.Context())) }()
		f(t, s)
	})
}

// open opens an App, in the place of the one before, that lets triggers fire or not.
func (s *shop) open(fires bool) {
	s.t.Helper()
	if s.app != nil {
		require.NoError(s.t, s.app.Close(s.t.Context()))
	}
	s.app = newTestApp(s.t, Config{
		Triggers: fires, Store: &s.workflows, Runs: &s.runs, Activations: &s.active, Record: RecordStored,
		ExtraPlugins: []node.Plugin{s.c, trigger.Plugin(trigger.Config{})},
	})
	synctest.Wait()
}

func (s *shop) save(text string) {
	s.t.Helper()
	_, err := s.app.Save(s.t.Context(), parse(s.t, text), workflow.Condition{})
	require.NoError(s.t, err)
}

// arm stores and activates a workflow.
func (s *shop) arm(text string) {
	s.t.Helper()
	s.save(text)
	_, err := s.app.Activate(s.t.Context(), parse(s.t, text).ID, run.Arming{})
	require.NoError(s.t, err)
	synctest.Wait()
}

// ranAfter lets time pass, and returns the outputs "said" of all runs of a workflow, the oldest first.
func (s *shop) ranAfter(d time.Duration, workflowID string) (said []any) {
	s.t.Helper()
	<-time.After(d)
	synctest.Wait()
	page, err := s.app.Runs(s.t.Context(), run.Query{WorkflowID: workflowID, Limit: run.MaxLimit})
	require.NoError(s.t, err)
	for _, item := range slices.Backward(page.Items) {
		record, err := s.app.Run(s.t.Context(), item.RunID)
		require.NoError(s.t, err)
		require.NotNil(s.t, record.Result)
		said = append(said, record.Result.Outputs["said"])
	}
	return said
}

// tells is a workflow that gives an output of its trigger.
func tells(id, typ, config, port string) string {
	return fmt.Sprintf(`{"id":%q,"nodes":[{"id":"t","type":%q,"config":%s},{"id":"count","type":"test.count","config":{"label":%q}},
		{"id":"out","type":"io.output","config":{"name":"said"}}],
		"connections":[{"fromNodeId":"t","fromPort":%q,"toNodeId":"count","toPort":"item"},{"fromNodeId":"count","fromPort":"item","toNodeId":"out","toPort":"value"}]}`, id, typ, config, id, port)
}

func gives(id, list string) string {
	return fmt.Sprintf(`{"id":%q,"nodes":[{"id":"parse","type":"json.parse","config":{"text":%q}},{"id":"count","type":"test.count","config":{"label":%q}},
		{"id":"out","type":"io.output","config":{"name":"said"}}],"connections":[{"fromNodeId":"parse","fromPort":"value","toNodeId":"count","toPort":"item"},
		{"fromNodeId":"count","fromPort":"item","toNodeId":"out","toPort":"value"}]}`, id, list, id)
}

func TestPollsRunStoredWorkflows(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		s.save(gives("orders", `[{"id":1},{"id":2}]`))
		s.arm(tells("skip", "trigger.poll", `{"workflowId":"orders","output":"said","by":"item.id","every":"1m"}`, "items"))
		s.arm(tells("all", "trigger.poll", `{"workflowId":"orders","output":"said","by":"item.id","cron":"* * * * *","first":"all"}`, "items"))
		require.Equal(t, []any{[]any{map[string]any{"id": 1}, map[string]any{"id": 2}}}, s.ranAfter(30*time.Second, "all"))
		require.Empty(t, s.ranAfter(time.Minute, "skip"))
		s.save(gives("orders", `[{"id":3},{"id":2,"changed":true},{"id":3}]`))
		want := []any{map[string]any{"id": 3}}
		require.Equal(t, []any{want}, s.ranAfter(time.Minute, "skip"))
		require.Equal(t, want, s.ranAfter(time.Minute, "all")[1])
		require.Empty(t, s.ranAfter(0, "orders"), "a look is not recorded")

		s.save(gives("orders", `{"id":3}`))
		<-time.After(time.Minute)
		synctest.Wait()
		shown, err := s.app.Activation(t.Context(), "skip")
		require.NoError(t, err)
		require.Contains(t, shown.Triggers[0].LastError, "is no list")
		s.c.set(s.c.failing, "orders [4]")
		s.save(gives("orders", `[4]`))
		<-time.After(time.Minute)
		synctest.Wait()
		page, err := s.app.Runs(t.Context(), run.Query{WorkflowID: "orders", Status: engine.StatusFailed})
		require.NoError(t, err)
		require.NotEmpty(t, page.Items, "unless it fails")
		shown, err = s.app.Activation(t.Context(), "skip")
		require.NoError(t, err)
		require.Contains(t, shown.Triggers[0].LastError, "is broken")

		for _, config := range []string{
			`{"workflowId":"none","output":"said","by":"item","every":"1m"}`, `{"workflowId":"orders","output":"none","by":"item","every":"1m"}`,
			`{"workflowId":"orders","output":"said","by":"item","every":"1m","cron":"@daily"}`, `{"workflowId":"orders","output":"said","by":"item"}`,
			`{"workflowId":"self","output":"said","by":"item","every":"1m"}`,
		} {
			problems, err := s.app.Validate(t.Context(), parse(t, tells("self", "trigger.poll", config, "items")))
			require.NoError(t, err)
			require.NotEmpty(t, problems, config)
		}
	})
}

func TestFailuresStartWorkflows(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		s.save(gives("flaky", `"x"`))
		s.save(gives("other", `"x"`))
		s.arm(tells("alert", "trigger.error", `{"workflowIds":["flaky","alert"]}`, "error"))
		s.arm(tells("any", "trigger.error", `{"codes":["broken"]}`, "workflowId"))
		s.arm(tells("none", "trigger.error", `{"codes":["timeout"]}`, "workflowId"))
		s.c.set(s.c.failing, "flaky x", "other x")
		broken := map[string]any{"code": "broken", "message": "flaky x is broken", "nodeId": "count"}

		_, err := s.app.ExecuteStored(t.Context(), "flaky", run.Request{})
		require.NoError(t, err)
		require.Equal(t, []any{broken}, s.ranAfter(time.Second, "alert"), "one that somebody has waited for")
		_, err = s.app.StartStored(t.Context(), "flaky", run.Request{})
		require.NoError(t, err)
		require.Equal(t, []any{broken, broken}, s.ranAfter(time.Second, "alert"))
		_, err = s.app.StartStored(t.Context(), "other", run.Request{})
		require.NoError(t, err)
		require.Equal(t, []any{broken, broken}, s.ranAfter(time.Second, "alert"))
		require.Equal(t, []any{"flaky", "flaky", "other"}, s.ranAfter(0, "any"))
		require.Empty(t, s.ranAfter(0, "none"))
		_, err = s.app.StartStored(t.Context(), "flaky", run.Request{})
		require.NoError(t, err)

		// What happens while no triggers fire is found later, and once.
		s.open(false)
		<-time.After(2 * time.Hour)
		_, err = s.app.StartStored(t.Context(), "flaky", run.Request{})
		require.NoError(t, err)
		synctest.Wait()
		<-time.After(2 * time.Hour)
		s.open(true)
		require.Len(t, s.ranAfter(time.Minute, "alert"), 4)
		s.open(true)
		require.Len(t, s.ranAfter(time.Minute, "alert"), 4)
		require.Len(t, s.ranAfter(0, "any"), 5)

		// An alert that fails starts no other.
		s.c.set(s.c.failing, "flaky x", fmt.Sprint("alert ", broken), "any flaky")
		_, err = s.app.StartStored(t.Context(), "flaky", run.Request{})
		require.NoError(t, err)
		require.Len(t, s.ranAfter(time.Hour, "alert"), 5)
		require.Len(t, s.ranAfter(0, "any"), 6)
	})
}

func TestCompletionsStartWorkflows(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		s.save(gives("first", `"x"`))
		s.arm(tells("second", "trigger.finished", `{"workflowId":"first"}`, "outputs"))
		s.arm(tells("ring", "trigger.finished", `{"workflowId":"ring"}`, "runId"))
		_, err := s.app.ExecuteStored(t.Context(), "first", run.Request{})
		require.NoError(t, err)
		require.Equal(t, []any{map[string]any{"said": "x"}}, s.ranAfter(time.Second, "second"))
		s.c.set(s.c.failing, "first x")
		_, err = s.app.ExecuteStored(t.Context(), "first", run.Request{})
		require.NoError(t, err)
		require.Len(t, s.ranAfter(time.Second, "second"), 1)

		_, err = s.app.StartStored(t.Context(), "ring", run.Request{Trigger: "t"})
		require.NoError(t, err)
		require.Len(t, s.ranAfter(time.Hour, "ring"), 17, "those who start each other come to an end")
		shown, err := s.app.Activation(t.Context(), "ring")
		require.NoError(t, err)
		require.Contains(t, shown.Triggers[0].LastError, "16")
		_, err = s.app.StartStored(t.Context(), "ring", run.Request{Trigger: "t"})
		require.NoError(t, err)
		require.Len(t, s.ranAfter(time.Hour, "ring"), 34, "and the trigger goes on")
	})
}

// A run that ends before anybody has asked for the ends counts from the activation on.
func TestEndsCountFromTheActivation(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		s.save(gives("first", `"x"`))
		_, err := s.app.ExecuteStored(t.Context(), "first", run.Request{})
		require.NoError(t, err)
		<-time.After(time.Second)
		since := time.Now()
		runs := sourceRuns{s.app}
		told, place, err := runs.Ended(t.Context(), since, "")
		require.NoError(t, err)
		require.Empty(t, told, "it ended before")
		ended := func() { // recorded soon after its end
			_, err := s.app.ExecuteStored(t.Context(), "first", run.Request{})
			require.NoError(t, err)
			<-time.After(time.Second)
			synctest.Wait()
		}
		ended()
		for _, from := range []string{"", place} {
			told, _, err = runs.Ended(t.Context(), since, from)
			require.NoError(t, err)
			require.Len(t, told, 1)
		}
		s.open(true) // the next process has to look through the records
		ended()
		told, place, err = sourceRuns{s.app}.Ended(t.Context(), since, "")
		require.NoError(t, err)
		require.Len(t, told, 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, _, err = sourceRuns{s.app}.Ended(ctx, since, place)
		require.ErrorIs(t, err, context.DeadlineExceeded, "nothing is behind it")
	})
}
