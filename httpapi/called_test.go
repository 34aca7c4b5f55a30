package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCalledWorkflowsCannotBeDeleted deletes a workflow that others call: at the top, in a body, or
// in the revision that is active. The answer lists them; without them, it can be deleted.
func TestCalledWorkflowsCannotBeDeleted(t *testing.T) {
	s := withHooks(t, "", nil)
	save := func(document string) {
		t.Helper()
		w := s.do("POST", "/workflows", document)
		require.Equal(t, http.StatusCreated, w.Code, w.Body)
	}
	const empty = `{"id":%q,"nodes":[],"connections":[]}`
	const call = `{"id":"call","type":"control.subworkflow","config":{"workflowId":"child"}}`
	save(fmt.Sprintf(empty, "child"))
	save(fmt.Sprintf(empty, "unrelated"))
	save(`{"id":"a-top","nodes":[` + call + `],"connections":[]}`)
	save(`{"id":"b-body","nodes":[{"id":"loop","type":"control.foreach","config":{"list":[1]},"body":{"nodes":[` + call + `],"connections":[]}}],"connections":[]}`)
	save(orders("c-live", "c-live/w2xh5r8vbn4jdcq7tz", "", ","+call, `{"fromNodeId":"hook","fromPort":"method","toNodeId":"call","toPort":"$after"}`))
	require.Equal(t, http.StatusOK, s.do("POST", "/workflows/c-live/activation", "").Code)
	save(fmt.Sprintf(empty, "c-live")) // the draft calls nothing any more, the active revision does

	refused := func(callers ...string) {
		t.Helper()
		p := requireProblem(t, s.do("DELETE", "/workflows/child", ""), http.StatusConflict, "in_use")
		require.Equal(t, callers, p.Workflows)
		require.Contains(t, p.Detail, fmt.Sprintf("%q", callers[0]))
		require.Equal(t, http.StatusOK, s.do("GET", "/workflows/child", "").Code)
	}
	refused("a-top", "b-body", "c-live")
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/b-body", "").Code)
	refused("a-top", "c-live")
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/c-live/activation", "").Code)
	refused("a-top")
	save(fmt.Sprintf(empty, "a-top"))
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/child", "").Code)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/child", "").Code, "it may be repeated")

	save(`{"id":"self","nodes":[{"id":"call","type":"control.subworkflow","config":{"workflowId":"self"}}],"connections":[]}`)
	require.Equal(t, http.StatusNoContent, s.do("DELETE", "/workflows/self", "").Code, "its own calls do not count")
}
