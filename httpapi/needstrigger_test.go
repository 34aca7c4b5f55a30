package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAWorkflowThatOnlyATriggerFeedsSaysSo(t *testing.T) {
	s := withHooks(t, "", nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", orders("only", "only", "", saysBody, saysWires)).Code)
	for _, prefer := range []string{"", "respond-async"} {
		p := requireProblem(t, s.do("POST", "/workflows/only/run", `{}`, "Prefer", prefer), http.StatusUnprocessableEntity, "validation_failed")
		require.Equal(t, "needs_trigger", p.Errors[0]["code"])
		require.Contains(t, p.Errors[0]["hint"], `"hook"`)
	}
	requireJSON(t, s.do("POST", "/workflows/only/run", `{"trigger":"hook","payload":{"body":1}}`), http.StatusOK)
	for name, workflow := range map[string]string{
		"an input beside it": orders("beside", "beside", "", saysBody+`,{"id":"in","type":"io.input","config":{"name":"n"}},{"id":"both","type":"control.merge"}`,
			saysWiresTo("both", "a")+`,{"fromNodeId":"in","fromPort":"value","toNodeId":"both","toPort":"b"},{"fromNodeId":"both","fromPort":"result","toNodeId":"out","toPort":"value"}`),
		"a part of its own":  orders("own", "own", "", saysBody+`,{"id":"text","type":"text.format","config":{"template":"x"}}`, saysWires),
		"a disabled trigger": `{"id":"off","nodes":[{"id":"hook","type":"trigger.webhook","disabled":true}],"connections":[]}`,
	} {
		require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", workflow).Code, name)
	}
	requireJSON(t, s.do("POST", "/workflows/beside/run", `{"inputs":{"n":1}}`), http.StatusOK)
	requireJSON(t, s.do("POST", "/workflows/own/run", `{}`), http.StatusOK)
	requireJSON(t, s.do("POST", "/workflows/off/run", `{}`), http.StatusOK)
}
