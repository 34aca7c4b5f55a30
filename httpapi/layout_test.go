package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
)

func TestLayout(t *testing.T) {
	s := newService(t, nil)
	w := s.do("POST", "/layout", `{"id":"x","nodes":[{"id":"a","type":"text.slice"},{"id":"b","type":"no.such"}],`+
		`"connections":[{"fromNodeId":"a","fromPort":"text","toNodeId":"b","toPort":"in"},{"fromNodeId":"gone","fromPort":"x","toNodeId":"b","toPort":"in"}],`+
		`"notes":[{"id":"n","text":"in the way"}]}`)
	requireJSON(t, w, http.StatusOK)
	var l cards.Layout
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &l))
	require.Len(t, l.Nodes, 2, "also what cannot run")
	a, b := l.Nodes[0], l.Nodes[1]
	require.Equal(t, "a", a.ID)
	require.Greater(t, b.X, a.X+a.W, "wires lead to the right")
	require.Greater(t, l.Notes[0].Y, max(a.Y+a.H, b.Y+b.H), "no card lies on the note")
	require.Len(t, l.Wires, 1, "a wire without a beginning has no way")
	require.Equal(t, 0, l.Wires[0].Connection)
	points := l.Wires[0].Points
	require.InDelta(t, a.X+a.W, points[0].X, 0)
	require.InDelta(t, b.X, points[len(points)-1].X, 0)

	require.JSONEq(t, `{"nodes":[],"notes":[],"groups":[],"wires":[]}`, s.do("POST", "/layout", `{"id":"x","nodes":[],"connections":[]}`).Body.String())
	require.Equal(t, http.StatusBadRequest, s.do("POST", "/layout", `{"id":`).Code)
	require.Equal(t, http.StatusUnauthorized, s.do("POST", "/layout", `{}`, "Authorization", "").Code)
}

// TestLayoutOfALongChain would overflow the stack if the layout were recursive.
func TestLayoutOfALongChain(t *testing.T) {
	const n = 5000
	var nodes, wires []string
	for i := range n {
		nodes = append(nodes, `{"id":"n`+strconv.Itoa(i)+`","type":"text.slice"}`)
		if i > 0 {
			wires = append(wires, `{"fromNodeId":"n`+strconv.Itoa(i-1)+`","fromPort":"text","toNodeId":"n`+strconv.Itoa(i)+`","toPort":"text"}`)
		}
	}
	w := newService(t, nil).do("POST", "/layout", `{"id":"x","nodes":[`+strings.Join(nodes, ",")+`],"connections":[`+strings.Join(wires, ",")+`]}`)
	require.Equal(t, http.StatusOK, w.Code)
	var l cards.Layout
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &l))
	require.Len(t, l.Wires, n-1)
	require.Greater(t, l.Nodes[n-1].X, l.Nodes[0].X)
}

func TestLayoutKeepsWhatHasAPlace(t *testing.T) {
	const text = `{"id":"x","nodes":[
	  {"id":"a","type":"control.delay","position":{"x":600,"y":40}},{"id":"b","type":"text.format","config":{"template":"{who}"},"position":{"x":0,"y":0}},{"id":"c","type":"control.delay"},
	  {"id":"between","type":"control.delay","position":{"x":300,"y":0}}],
	 "connections":[{"fromNodeId":"b","fromPort":"result","toNodeId":"a","toPort":"value"},{"fromNodeId":"b","fromPort":"result","toNodeId":"c","toPort":"value","via":[{"x":1,"y":2}]}],
	 "groups":[{"id":"none","nodeIds":[]},{"id":"g","nodeIds":["a","b"]}],"notes":[{"id":"n","text":"","position":{"x":8,"y":8}}]}`
	s := newService(t, nil)
	var kept, arranged cards.Layout
	w := s.do("POST", "/layout?keep=true", text)
	requireJSON(t, w, http.StatusOK)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &kept))
	require.Equal(t, [2]float64{600, 40}, [2]float64{kept.Nodes[0].X, kept.Nodes[0].Y})
	require.Equal(t, [2]float64{0, 0}, [2]float64{kept.Nodes[1].X, kept.Nodes[1].Y})
	require.Greater(t, kept.Nodes[2].Y, kept.Nodes[0].Y+kept.Nodes[0].H, "what has no place goes below")
	require.InDelta(t, 8, kept.Notes[0].X, 0, "notes stay")
	require.Equal(t, "g", kept.Groups[0].ID, "groups without nodes have no frame")
	require.Contains(t, w.Body.String(), `"name":"who"`, "a port by its settings")
	between := kept.Nodes[3]
	for i, to := range kept.Wires[0].Points[1:] {
		from := kept.Wires[0].Points[i]
		beside := max(from.X, to.X) < between.X || min(from.X, to.X) > between.X+between.W
		require.True(t, beside || min(from.Y, to.Y) > between.Y+between.H || max(from.Y, to.Y) < between.Y, "around the card between: %v", kept.Wires[0].Points)
	}
	require.Equal(t, cards.Point{X: 1, Y: 2}, kept.Wires[1].Points[1], "over the points of the document")

	require.NoError(t, json.Unmarshal(s.do("POST", "/layout", text).Body.Bytes(), &arranged))
	require.Less(t, arranged.Nodes[1].X, arranged.Nodes[0].X)
	require.NotEqual(t, kept.Nodes[0].Y, arranged.Nodes[0].Y)
	requireProblem(t, s.do("POST", "/layout?keep=maybe", text), http.StatusBadRequest, "invalid_parameter")
}

// TestLayoutOfBodiesOnCards checks that everything shown on a card gets a position, also in nested
// bodies.
func TestLayoutOfBodiesOnCards(t *testing.T) {
	const text = `{"id":"x","nodes":[{"id":"loop","type":"control.foreach","position":{"x":400,"y":80},"size":{"w":900,"h":800},"body":{
	  "nodes":[{"id":"item","type":"io.input","config":{"name":"item","type":"string"},"position":{"x":-40,"y":8}},{"id":"free","type":"text.slice"},
	    {"id":"deep","type":"control.foreach","position":{"x":300,"y":8},"size":{"w":300,"h":200},"body":{"nodes":[{"id":"in","type":"text.slice"}],"connections":[]}}],
	  "connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"free","toPort":"text","via":[{"x":200,"y":8}]}],
	  "notes":[{"id":"n","text":"","position":{"x":0,"y":300}}],"groups":[{"id":"g","nodeIds":["item"]}]}},
	  {"id":"folded","type":"control.foreach","body":{"nodes":[],"connections":[]}}],"connections":[]}`
	s := newService(t, nil)
	for _, keep := range []string{"true", "false"} {
		var l cards.Layout
		require.NoError(t, json.Unmarshal(s.do("POST", "/layout?keep="+keep, text).Body.Bytes(), &l))
		require.Nil(t, l.Nodes[1].Body)
		loop, body := l.Nodes[0], l.Nodes[0].Body
		require.NotNil(t, body)
		require.Greater(t, body.Y, loop.Y+34, "below the rows")
		require.Less(t, body.Y+body.H, loop.Y+loop.H)
		within := func(p cards.Placed) {
			t.Helper()
			require.Greater(t, p.X, body.X)
			require.Greater(t, p.Y, body.Y)
			require.Less(t, p.X+p.W, body.X+body.W)
			require.Less(t, p.Y+p.H, body.Y+body.H)
		}
		for i := range body.Nodes {
			within(body.Nodes[i].Placed)
		}
		within(body.Notes[0])
		within(body.Groups[0])
		item, deep := body.Nodes[0], body.Nodes[2]
		require.InDelta(t, 340, deep.X-item.X, 0, "as they lie in the body")
		points := body.Wires[0].Points
		require.InDelta(t, item.X+item.W, points[0].X, 0)
		require.InDelta(t, item.X+240, points[1].X, 0, "the points of wires, too")
		require.Greater(t, deep.Body.Nodes[0].X, deep.X)
	}
}
