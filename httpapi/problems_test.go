package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
)

// TestProblemsAreBounded checks the size of the answer to a workflow with very many mistakes.
func TestProblemsAreBounded(t *testing.T) {
	s := newService(t, nil)
	var nodes []string
	for i := range 4_000 {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","type":"no.such"}`, i))
	}
	def := fmt.Sprintf(`{"id":"w","nodes":[{"id":%q,"type":"control.subworkflow","body":{"nodes":[%s],"connections":[]}}],"connections":[]}`,
		strings.Repeat("long", 30_000), strings.Join(nodes, ","))
	answer := s.do("POST", "/validate", def)
	require.Less(t, answer.Body.Len(), limit.ProblemBytes+limit.Message)
	list := requireJSON(t, answer, http.StatusOK).([]any)
	last := list[len(list)-1].(map[string]any)
	require.Equal(t, "limit_exceeded", last["code"])
	require.Equal(t, 4_001, len(list)-1+last["truncated"].(int))

	answer = s.do("POST", "/execute", def)
	require.Less(t, answer.Body.Len(), limit.ProblemBytes+2*limit.Message)
	p := requireProblem(t, answer, http.StatusUnprocessableEntity, "validation_failed")
	require.Equal(t, last["truncated"], p.Truncated)
	require.Contains(t, p.Detail, "4001 problems")
}

func TestInputProblemsAreBounded(t *testing.T) {
	s := newService(t, nil)
	var nodes, inputs []string
	for i := range 3_000 {
		nodes = append(nodes, fmt.Sprintf(`{"id":"n%d","type":"io.input","config":{"name":"%s%d","default":0}}`, i, strings.Repeat("long", 40), i))
	}
	for i := range 100_000 {
		inputs = append(inputs, fmt.Sprintf(`"unknown%d":1`, i))
	}
	answer := s.do("POST", "/execute", fmt.Sprintf(`{"workflow":{"id":"w","nodes":[%s],"connections":[]},"inputs":{%s}}`,
		strings.Join(nodes, ","), strings.Join(inputs, ",")))
	require.Less(t, answer.Body.Len(), limit.ProblemBytes+2*limit.Message)
	p := requireProblem(t, answer, http.StatusUnprocessableEntity, "validation_failed")
	require.Equal(t, 100_000-limit.Problems, p.Truncated)
}
