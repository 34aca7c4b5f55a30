package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// doubtful is a valid workflow with a hint: its call is not sent if the branch is not taken.
const doubtful = `{"id":"doubtful","nodes":[
 {"id":"url","type":"io.input","config":{"name":"url","type":"string","default":"http://127.0.0.1:1/"}},
 {"id":"way","type":"control.branch","config":{"condition":false,"value":"hello"}},
 {"id":"call","type":"io.http_request","config":{"method":"POST"}}],
"connections":[
 {"fromNodeId":"url","fromPort":"value","toNodeId":"call","toPort":"url"},
 {"fromNodeId":"way","fromPort":"truePath","toNodeId":"call","toPort":"body"}]}`

func TestHints(t *testing.T) {
	s := newService(t, nil)
	w := s.do("POST", "/hints", doubtful)
	requireJSON(t, w, http.StatusOK)
	var hints []engine.Hint
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &hints))
	require.Len(t, hints, 1)
	require.Equal(t, "call", hints[0].NodeID)
	require.Equal(t, "body", hints[0].Port)
	require.Contains(t, hints[0].Message, `"truePath" of "way"`)
	require.JSONEq(t, `[]`, s.do("POST", "/validate", doubtful).Body.String(), "a hint is no problem")

	require.JSONEq(t, `[]`, s.do("POST", "/hints", `{"id":"x","nodes":[],"connections":[]}`).Body.String())
	invalid := s.do("POST", "/hints", `{"id":"x","nodes":[{"id":"a","type":"no.such"}],"connections":[]}`)
	require.Equal(t, http.StatusUnprocessableEntity, invalid.Code)
	require.Contains(t, invalid.Body.String(), "unknown_node_type")
	require.Equal(t, http.StatusBadRequest, s.do("POST", "/hints", `{"id":`).Code)
	require.Equal(t, http.StatusUnauthorized, s.do("POST", "/hints", `{}`, "Authorization", "").Code)
}
