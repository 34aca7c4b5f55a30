package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestResumeTakesWhatIsChanged(t *testing.T) {
	s := newService(t, nil)
	require.Equal(t, http.StatusCreated, s.do("POST", "/workflows", greet).Code)
	runID := s.start(greet)
	s.events(runID)
	path := "/executions/" + runID + "/resume"
	for _, body := range []string{"", "{}", `{"workflow":"recorded"}`, `{"workflow":"current"}`, `{"workflow":` + greet + `}`} {
		requireProblem(t, s.do("POST", path, body), http.StatusConflict, "not_resumable")
	}
	for _, body := range []string{`{"runs":1}`, `{"workflow":"latest"}`, `{"workflow":1}`, `{"inputs":[]}`, `{"from":1}`, `[]`} {
		requireProblem(t, s.do("POST", path, body), http.StatusBadRequest, "malformed")
	}
	misspelt := `{"from":"fmt", "workflow":{"id":"w","nodez":[]}}`
	p := requireProblem(t, s.do("POST", path, misspelt), http.StatusBadRequest, "malformed")
	require.Equal(t, "/workflow/nodez", *p.Pointer)
	require.EqualValues(t, strings.Index(misspelt, `"nodez"`), *p.Offset)
	requireProblem(t, s.do("POST", path, `{"from":"nobody"}`), http.StatusBadRequest, "invalid_parameter")
	requireProblem(t, s.do("POST", path, `{"inputs":{"nobody":1}}`), http.StatusUnprocessableEntity, "validation_failed")
	for _, body := range []string{`{"inputs":{"who":"Ada"}}`, `{"from":"fmt","inputs":{"who":"Ada"},"workflow":"current"}`} {
		next := requireJSON(t, s.do("POST", path, body), http.StatusAccepted).(map[string]any)["runId"].(string)
		require.Equal(t, map[string]any{"greeting": "Hello, Ada!"}, result(t, s.events(next))["outputs"])
	}
}
