package machine_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

func TestLocalServer(t *testing.T) {
	u := newUser(t)
	m := u.open()
	require.NoError(t, m.Server().Stop(t.Context()), "nothing is served yet")
	greeting, err := app.FindTemplate("greeting")
	require.NoError(t, err)
	_, err = m.Host().Backend.Save(t.Context(), greeting, workflow.Condition{})
	require.NoError(t, err)

	address, secret, err := m.Server().Start(t.Context())
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(address, "http://127.0.0.1:"), address)
	c := newClient(t, address, secret)
	id, err := c.StartStored(t.Context(), "greeting", run.Request{})
	require.NoError(t, err, "what is stored here can be run")
	for _, err := range c.Events(t.Context(), id, 0) {
		require.NoError(t, err)
	}
	_, err = newClient(t, address, "another-key-for-tests").Workflows(t.Context(), workflow.Query{})
	require.ErrorIs(t, err, &client.Error{Code: client.CodeUnauthorized})
	runs, err := m.Host().Backend.Runs(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Empty(t, runs.Items, "its runs are its own")

	sameAddress, sameKey, err := m.Server().Start(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{address, secret}, []string{sameAddress, sameKey})
	require.NoError(t, m.Server().Stop(t.Context()))
	_, err = c.Workflows(t.Context(), workflow.Query{})
	require.ErrorIs(t, err, client.ErrUnreachable)

	_, other, err := m.Server().Start(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, secret, other)
	requireNowhere(t, u.dir, secret)
}

func newClient(t *testing.T, address, key string) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{URL: address, APIKey: key, Transport: &http.Transport{DisableKeepAlives: true}})
	require.NoError(t, err)
	return c
}

// Other programs are not the user: what they send sees no files of the user's.
func TestLocalServerIsASandbox(t *testing.T) {
	m := newUser(t).open()
	address, secret, err := m.Server().Start(t.Context())
	require.NoError(t, err)
	def, err := workflow.Decode([]byte(`{"id":"read","nodes":[{"id":"file","type":"io.file_read","config":{"path":"/etc/passwd"}}],"connections":[]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	c := newClient(t, address, secret)
	id, err := c.Start(t.Context(), def, run.Request{})
	require.NoError(t, err)
	for _, err := range c.Events(t.Context(), id, 0) {
		require.NoError(t, err)
	}
	record, err := c.Run(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, engine.StatusFailed, record.Status)
	require.Equal(t, "forbidden", record.Result.Error.Code)
}

// Stopping ends runs and streams that would go on for long.
func TestLocalServerStopsInTime(t *testing.T) {
	m := newUser(t).open()
	address, secret, err := m.Server().Start(t.Context())
	require.NoError(t, err)
	def, err := workflow.Decode([]byte(`{"id":"wait","nodes":[{"id":"wait","type":"control.delay","config":{"ms":3600000}}],"connections":[]}`), workflow.DefaultLimits())
	require.NoError(t, err)
	c := newClient(t, address, secret)
	id, err := c.Start(t.Context(), def, run.Request{})
	require.NoError(t, err)
	last := make(chan engine.Event, 1)
	began := make(chan struct{}, 100)
	go func() {
		var e engine.Event
		for next, err := range c.Events(t.Context(), id, 0) {
			if err != nil {
				break
			}
			e = next
			began <- struct{}{}
		}
		last <- e
	}()
	<-began
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.NoError(t, m.Server().Stop(ctx))
	require.Less(t, time.Since(start), time.Minute, "the run would take an hour")
	require.Equal(t, engine.StatusFailed, (<-last).Result.Status, "its follower hears of it")
}
