package client_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/httpapi/keys"
)

const key = "only for these tests"

// serve starts a service with a prefix and returns a client of it.
func serve(t *testing.T) *client.Client {
	t.Helper()
	service, err := httpapi.New(httpapi.Config{APIKey: key, RoutePrefix: "flow", DataDir: t.TempDir()})
	require.NoError(t, err)
	server := httptest.NewServer(service)
	t.Cleanup(func() {
		require.NoError(t, service.Close(t.Context()))
		server.Close()
	})
	c, err := client.New(client.Config{URL: server.URL + "/flow/", APIKey: key})
	require.NoError(t, err)
	return c
}

func decode(t *testing.T, text string) *workflow.Definition {
	t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	return def
}

// double is a workflow that outputs twice its input.
const double = `{"id":"my/double","nodes":[
 {"id":"n","type":"io.input","config":{"name":"n","type":"int","required":true}},
 {"id":"twice","type":"json.query","config":{"filter":". * 2"}},
 {"id":"out","type":"io.output","config":{"name":"double"}}],
"connections":[
 {"fromNodeId":"n","fromPort":"value","toNodeId":"twice","toPort":"value"},
 {"fromNodeId":"twice","fromPort":"result","toNodeId":"out","toPort":"value"}]}`

func TestWorkflowsOnAServer(t *testing.T) {
	c := serve(t)
	health, err := c.Health(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ok", health.Status)

	def := decode(t, double)
	problems, err := c.Validate(t.Context(), def)
	require.NoError(t, err)
	require.Empty(t, problems)
	hints, err := c.Hints(t.Context(), def)
	require.NoError(t, err)
	require.Empty(t, hints)
	arranged, err := c.Layout(t.Context(), def)
	require.NoError(t, err)
	require.Len(t, arranged.Nodes, 3)
	require.Len(t, arranged.Wires, 2)
	require.Less(t, arranged.Nodes[1].X, arranged.Nodes[2].X)
	meta, err := c.Save(t.Context(), def, workflow.Condition{Absent: true})
	require.NoError(t, err)
	require.Equal(t, 1, meta.Revision)
	_, err = c.Save(t.Context(), def, workflow.Condition{Absent: true})
	require.ErrorIs(t, err, &client.Error{Code: client.CodePreconditionFailed})

	changed := decode(t, `{"id":"my/double","nodes":[{"id":"a","type":"no.such"}],"connections":[]}`)
	problems, err = c.Validate(t.Context(), changed)
	require.NoError(t, err)
	require.Equal(t, "unknown_node_type", problems[0].Code)
	_, err = c.Hints(t.Context(), changed)
	require.ErrorAs(t, err, new(engine.ValidationErrors))
	_, err = c.Save(t.Context(), changed, workflow.Condition{Match: []string{def.Digest()}})
	require.NoError(t, err)
	require.ErrorIs(t, c.Delete(t.Context(), "my/double", workflow.Condition{Match: []string{def.Digest()}}), &client.Error{Code: client.CodePreconditionFailed})

	loaded, err := c.Workflow(t.Context(), "my/double")
	require.NoError(t, err)
	require.Equal(t, changed.Digest(), loaded.Digest())
	revisions, err := c.Revisions(t.Context(), "my/double")
	require.NoError(t, err)
	require.Len(t, revisions, 2)
	first, err := c.Revision(t.Context(), "my/double", 1)
	require.NoError(t, err)
	require.Equal(t, def.Digest(), first.Digest())

	metas, err := workflow.All(t.Context(), c.Workflows)
	require.NoError(t, err)
	require.Len(t, metas, 1)
	require.False(t, metas[0].Valid)
	require.NoError(t, c.Delete(t.Context(), "my/double", workflow.Condition{}))
	_, err = c.Workflow(t.Context(), "my/double")
	require.ErrorIs(t, err, &client.Error{Code: client.CodeNotFound})
}

func TestPagesOfWorkflowsOfAServer(t *testing.T) {
	c := serve(t)
	for n := range workflow.DefaultLimit + 1 {
		_, err := c.Save(t.Context(), decode(t, fmt.Sprintf(`{"id":"w %02d","nodes":[],"connections":[]}`, n)), workflow.Condition{})
		require.NoError(t, err)
	}
	first, err := c.Workflows(t.Context(), workflow.Query{})
	require.NoError(t, err)
	require.Len(t, first.Items, workflow.DefaultLimit)
	second, err := c.Workflows(t.Context(), workflow.Query{Cursor: first.NextCursor})
	require.NoError(t, err)
	require.Equal(t, "w 50", second.Items[0].ID)
	require.Empty(t, second.NextCursor)
	all, err := workflow.All(t.Context(), func(ctx context.Context, q workflow.Query) (workflow.Page, error) {
		q.Limit = 7
		return c.Workflows(ctx, q)
	})
	require.NoError(t, err)
	require.Equal(t, append(first.Items, second.Items...), all)
}

func TestNodeTypesOfAServer(t *testing.T) {
	c := serve(t)
	specs, err := c.NodeTypes(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, specs)
	spec, err := c.NodeType(t.Context(), "text.format")
	require.NoError(t, err)
	require.Equal(t, "text", spec.Plugin())
	require.Contains(t, specs, spec)
	_, err = c.NodeType(t.Context(), "a/b")
	require.ErrorIs(t, err, &client.Error{Code: client.CodeNotFound})
}

func TestKeysOfAServer(t *testing.T) {
	c := serve(t)
	made, err := c.MakeKey(t.Context(), keys.Request{Name: "ci", Scopes: []keys.Scope{keys.Run}, Budget: keys.Budget{Runs: 3}})
	require.NoError(t, err)
	_, err = c.MakeKey(t.Context(), keys.Request{Name: "ci", Scopes: []keys.Scope{keys.Run}})
	require.ErrorIs(t, err, &client.Error{Code: "key_exists"})
	named, err := client.New(client.Config{URL: c.URL(), APIKey: made.Secret})
	require.NoError(t, err)
	_, err = named.Keys(t.Context())
	require.ErrorIs(t, err, &client.Error{Code: "forbidden"})
	list, err := c.Keys(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, made.Request, list[0].Request)
	require.NoError(t, c.RevokeKey(t.Context(), "ci"))
	require.ErrorIs(t, c.RevokeKey(t.Context(), "ci"), &client.Error{Code: client.CodeNotFound})
	_, err = named.Keys(t.Context())
	require.ErrorIs(t, err, &client.Error{Code: client.CodeUnauthorized})
}

func TestRunsOnAServer(t *testing.T) {
	c := serve(t)
	def := decode(t, double)
	_, err := c.Save(t.Context(), def, workflow.Condition{})
	require.NoError(t, err)
	o := run.Request{Inputs: map[string]any{"n": 1 << 60}, IdempotencyKey: "once"}
	stored, err := c.StartStored(t.Context(), "my/double", o)
	require.NoError(t, err)
	again, err := c.StartStored(t.Context(), "my/double", o)
	require.NoError(t, err)
	require.Equal(t, stored, again)

	posted, err := c.Start(t.Context(), def, run.Request{
		Inputs: map[string]any{"n": 2}, Overrides: map[string]map[string]any{"twice": {"filter": ". * 3"}},
	})
	require.NoError(t, err)
	for id, want := range map[string]int{stored: 1 << 61, posted: 6} {
		var last engine.Event
		for e, err := range c.Events(t.Context(), id, 0) {
			require.NoError(t, err)
			require.Equal(t, last.Seq+1, e.Seq)
			last = e
		}
		require.Equal(t, engine.EventCompleted, last.Name)
		require.Equal(t, want, last.Result.Outputs["double"])
		record, err := c.Run(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, engine.StatusCompleted, record.Status)
		require.Equal(t, want, record.Result.Outputs["double"])
		for e, err := range c.Events(t.Context(), id, last.Seq) {
			require.NoError(t, err)
			require.Fail(t, "nothing comes behind the last event", "%d", e.Seq)
		}
	}
	ran, err := c.RunWorkflow(t.Context(), posted)
	require.NoError(t, err)
	require.Equal(t, ". * 3", ran.Nodes[1].Config["filter"])
	inputs, err := c.RunInputs(t.Context(), stored)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"n": 1 << 60}, inputs)

	page, err := c.Runs(t.Context(), run.Query{WorkflowID: "my/double", Status: engine.StatusCompleted, Limit: 1})
	require.NoError(t, err)
	require.Equal(t, posted, page.Items[0].RunID, "the newest first")
	page, err = c.Runs(t.Context(), run.Query{Cursor: page.NextCursor})
	require.NoError(t, err)
	require.Equal(t, stored, page.Items[0].RunID)
	require.Empty(t, page.NextCursor)

	_, err = c.Start(t.Context(), def, run.Request{})
	require.ErrorAs(t, err, new(engine.ValidationErrors))
	for _, err := range c.Events(t.Context(), "nobody", 0) {
		require.ErrorIs(t, err, &client.Error{Code: client.CodeNotFound})
	}
}

func TestCancelAndResumeOnAServer(t *testing.T) {
	c := serve(t)
	id, err := c.Start(t.Context(), decode(t, `{"id":"w","nodes":[{"id":"wait","type":"control.delay","config":{"ms":3600000}}],"connections":[]}`), run.Request{})
	require.NoError(t, err)
	var last engine.Event
	for e, err := range c.Events(t.Context(), id, 0) {
		require.NoError(t, err)
		if e.NodeID == "wait" && e.Name == engine.EventStarted {
			require.NoError(t, c.Cancel(t.Context(), id))
		}
		last = e
	}
	require.Equal(t, engine.StatusCancelled, last.Result.Status)
	require.WithinDuration(t, time.Now(), last.Result.FinishedAt, time.Minute)
	require.ErrorIs(t, c.Cancel(t.Context(), id), &client.Error{Code: "run_ended"})

	resumed, err := c.Resume(t.Context(), id, run.Resumption{})
	require.NoError(t, err)
	record, err := c.Run(t.Context(), resumed)
	require.NoError(t, err)
	require.Equal(t, id, record.ResumedFrom)
	require.NoError(t, c.Cancel(t.Context(), resumed))
}

func TestBadAddressesAndKeys(t *testing.T) {
	for _, url := range []string{"", "svc.example.org", "ftp://svc.example.org", "http://", "http://user:secret@svc.example.org", "http://svc.example.org?key=secret", "http://[secret"} {
		_, err := client.New(client.Config{URL: url})
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "secret")
	}
	good := serve(t)
	c, err := client.New(client.Config{URL: good.URL(), APIKey: "another key of some length"})
	require.NoError(t, err)
	_, err = workflow.All(t.Context(), c.Workflows)
	require.ErrorIs(t, err, &client.Error{Code: client.CodeUnauthorized})
	require.NotContains(t, err.Error(), "another key")
}

func TestAdmitted(t *testing.T) {
	c := serve(t)
	require.NoError(t, c.Admitted(t.Context()))
	stranger, err := client.New(client.Config{URL: c.URL(), APIKey: "not the key of these tests"})
	require.NoError(t, err)
	require.ErrorIs(t, stranger.Admitted(t.Context()), &client.Error{Code: client.CodeUnauthorized})
}
