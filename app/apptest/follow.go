package apptest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// rich has a chain, a loop in a loop, a failure that is handled, and a side that is not taken.
const rich = `{"id":"rich","nodes":[
	{"id":"in","type":"io.input","config":{"name":"x","type":"any"}},
	{"id":"a","type":"test.step","config":{"label":"a"}},
	{"id":"loop","type":"control.foreach","config":{"list":[1,2,3]},"body":{"nodes":[
		{"id":"item","type":"io.input","config":{"name":"item","type":"any"}},
		{"id":"again","type":"control.foreach","config":{"list":["x","y"]},"body":{"nodes":[{"id":"deep","type":"test.step","config":{"label":"deep"}}],"connections":[]}},
		{"id":"out","type":"io.output","config":{"name":"got"}}],
		"connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"out","toPort":"value"}]}},
	{"id":"bad","type":"test.step","config":{"label":"bad"}},
	{"id":"handler","type":"test.step","config":{"label":"handler"}},
	{"id":"never","type":"test.step","config":{"label":"never"}},
	{"id":"out","type":"io.output","config":{"name":"y"}},
	{"id":"list","type":"io.output","config":{"name":"list"}}],
	"connections":[
	{"fromNodeId":"in","fromPort":"value","toNodeId":"a","toPort":"value"},
	{"fromNodeId":"a","fromPort":"value","toNodeId":"out","toPort":"value"},
	{"fromNodeId":"a","fromPort":"$done","toNodeId":"loop","toPort":"$after"},
	{"fromNodeId":"loop","fromPort":"got","toNodeId":"list","toPort":"value"},
	{"fromNodeId":"bad","fromPort":"$error","toNodeId":"handler","toPort":"value"},
	{"fromNodeId":"bad","fromPort":"value","toNodeId":"never","toPort":"value"}]}`

func testTold(t *testing.T, s *shared) {
	s.breaks("bad", true)
	id := s.start(t, rich, run.Request{Inputs: map[string]any{"x": map[string]any{"n": 7}}})
	events := follow(t, s.app(), id, 0)
	ended := map[string]engine.Status{}
	for _, e := range events {
		if e.Name == engine.EventNode {
			require.NotContains(t, ended, e.NodeID, "each node ends once")
			ended[e.NodeID] = e.Status
		}
	}
	require.Equal(t, engine.EventCompleted, events[len(events)-1].Name)
	require.Equal(t, engine.StatusSucceeded, ended["loop/2/again/1/deep"])
	require.Equal(t, engine.StatusFailed, ended["bad"])
	require.Equal(t, engine.StatusSkipped, ended["never"])
	require.Equal(t, 6, s.count("deep"))

	for range s.apps {
		rec, err := s.app().Run(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, engine.StatusCompleted, rec.Status)
		require.Equal(t, map[string]any{"y": map[string]any{"n": 7}, "list": []any{1, 2, 3}}, rec.Result.Outputs)
		require.Equal(t, events[len(events)-1].Result, rec.Result)
		inputs, err := s.app().RunInputs(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"x": map[string]any{"n": 7}}, inputs)
	}
}

func testFollowers(t *testing.T, s *shared) {
	s.breaks("bad", true)
	id := s.start(t, rich, run.Request{})
	var wg sync.WaitGroup
	heard := make([][]engine.Event, 12)
	for i := range heard {
		a := s.app()
		wg.Go(func() {
			for e, err := range a.Events(t.Context(), id, i) {
				if !assert.NoError(t, err) {
					return
				}
				heard[i] = append(heard[i], told(t, e))
			}
		})
	}
	wg.Wait()
	for i := range heard {
		require.Equal(t, heard[0][i:], heard[i], "all of them see the same, from their place on")
	}
	n := len(heard[0])
	require.Equal(t, heard[0][n-1:], follow(t, s.app(), id, n-1), "after the end, too")
	require.Empty(t, follow(t, s.app(), id, n))
}

func testLargeValues(t *testing.T, s *shared) {
	for _, bytes := range []int{1, 63 << 10, 65 << 10, 3 << 20} {
		id := s.start(t, fmt.Sprintf(`{"id":"large","nodes":[
			{"id":"a","type":"test.step","config":{"label":"a","value":"x","times":%d}},
			{"id":"b","type":"test.step","config":{"label":"b"}},{"id":"out","type":"io.output","config":{"name":"y"}}],
			"connections":[{"fromNodeId":"a","fromPort":"value","toNodeId":"b","toPort":"value"},
			{"fromNodeId":"b","fromPort":"value","toNodeId":"out","toPort":"value"}]}`, bytes), run.Request{})
		last := s.end(t, id)
		require.Len(t, last.Result.Outputs["y"], bytes, "the outputs of a run are whole")
		rec, err := s.app().Run(t.Context(), id)
		require.NoError(t, err)
		require.Len(t, rec.Result.Outputs["y"], bytes)
		for _, e := range follow(t, s.app(), id, 0) {
			if e.Name == engine.EventNode && e.NodeID == "a" {
				require.LessOrEqual(t, value.Size(e.Outputs["value"], value.MaxSize), 64<<10, "streams show large ones elided")
			}
		}
	}
}
