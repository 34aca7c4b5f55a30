package cluster_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/memstore"
)

// offers are tasks that nobody makes.
type offers struct{ made []cluster.Begun }

func (o *offers) Offer(b cluster.Begun)            { o.made = append(o.made, b) }
func (*offers) Wake(context.Context, string) error { return nil }
func (*offers) Close()                             {}

// TestWhatOnlyComputesIsKnown looks which runs are to be driven within a step of their task.
func TestWhatOnlyComputesIsKnown(t *testing.T) {
	offered := &offers{}
	a, err := app.New(app.Config{Shared: func(env drive.Env) (runs.Backend, error) {
		made := func(cluster.Driver) cluster.Tasks { return offered }
		return cluster.RunsOver(env, cluster.RunsConfig{Shared: &memstore.Shared{}, Name: "a"}, made), nil
	}})
	require.NoError(t, err)
	defer func() { assert.NoError(t, a.Close(context.Background())) }()
	const text = `{"id":"t","type":"text.format","config":{"template":"x"}}`
	const inside = `{"id":"each","type":"control.foreach","config":{"list":[1]},"body":{"nodes":[` + text + `],"connections":[]}}`
	const waits = `{"id":"w","type":"control.delay","config":{"ms":1}}`
	for _, document := range []struct {
		nodes string
		pure  bool
	}{
		{text, true},
		{text + "," + inside, true},
		{waits, false},
		{`{"id":"each","type":"control.foreach","config":{"list":[1]},"body":{"nodes":[` + waits + `],"connections":[]}}`, false},
	} {
		offered.made = nil
		_, err := a.StartJSON(t.Context(), []byte(`{"id":"w","nodes":[`+document.nodes+`],"connections":[]}`), run.Request{})
		require.NoError(t, err)
		require.Len(t, offered.made, 1)
		require.Equal(t, document.pure, offered.made[0].Pure, document.nodes)
	}
}
