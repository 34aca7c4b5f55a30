package fold_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

var update = flag.Bool("update", false, "write what testdata/vectors.json expects anew")

const vectorsFile = "testdata/vectors.json"

// vector is a list of events and the state that they lead to. The run page is held
// against the same ones, in httpapi/page.
type vector struct {
	Name   string `json:"name"`
	Events []struct {
		Name engine.EventName `json:"name"`
		Data json.RawMessage  `json:"data"`
	} `json:"events"`
	State json.RawMessage `json:"state"`
}

func TestVectors(t *testing.T) {
	text, err := os.ReadFile(vectorsFile)
	require.NoError(t, err)
	var vectors []vector
	require.NoError(t, json.Unmarshal(text, &vectors))
	for i := range vectors {
		v := &vectors[i]
		s := &fold.State{}
		for _, told := range v.Events {
			e := engine.Event{Name: told.Name}
			require.NoError(t, json.Unmarshal(told.Data, &e), v.Name)
			s.Apply(e)
		}
		got, err := json.Marshal(stateShown(s))
		require.NoError(t, err)
		if *update {
			v.State = got
			continue
		}
		require.JSONEq(t, string(v.State), string(got), v.Name)
	}
	if *update {
		require.NoError(t, os.WriteFile(vectorsFile, printed(t, vectors), 0o600))
	}
}

// printed is the file of vectors: a line for each event, and for each part of a state.
func printed(t *testing.T, vectors []vector) []byte {
	t.Helper()
	var b bytes.Buffer
	for i, v := range vectors {
		fmt.Fprintf(&b, "%s{\"name\": %q, \"events\": [", [2]string{"[\n", ",\n"}[min(i, 1)], v.Name)
		for k, e := range v.Events {
			line, err := json.Marshal(e)
			require.NoError(t, err)
			fmt.Fprintf(&b, "%s  %s", [2]string{"\n", ",\n"}[min(k, 1)], line)
		}
		b.WriteString("\n], \"state\": ")
		require.NoError(t, json.Indent(&b, v.State, "", " "))
		b.WriteString("}")
	}
	return append(b.Bytes(), "\n]\n"...)
}

type shown map[string]any

// stateShown is a state as the vectors tell it, times and durations in milliseconds.
func stateShown(s *fold.State) shown {
	nodes := shown{}
	names := []string{}
	for _, n := range s.Rows() {
		nodes[n.Name] = nodeShown(n)
		names = append(names, n.Name)
	}
	return shown{
		"runId": s.RunID, "workflowId": s.WorkflowID, "status": s.Status, "error": s.Error, "outputs": s.Outputs,
		"started": moment(s.Started), "ended": moment(s.Ended), "took": millis(s.Took), "order": append([]string{}, s.Order...),
		"rows": names, "nodes": nodes,
	}
}

func nodeShown(n *fold.Node) shown {
	done, failed := n.Inside()
	running := []shown{}
	for _, s := range slices.SortedFunc(slices.Values(n.Under()), func(a, b *fold.Step) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) }) {
		running = append(running, stepShown(s))
	}
	return shown{
		"state": n.State(), "status": n.Status, "error": n.Error, "skipped": n.Skipped, "started": moment(n.Started), "ended": moment(n.Ended),
		"done": n.Done, "failed": n.Failed, "warnings": n.Warnings, "items": n.Items, "step": n.Step, "total": n.Total, "message": n.Message,
		"inside": shown{"done": done, "failed": failed}, "running": running, "last": stepShown(n.Last),
	}
}

func stepShown(s *fold.Step) shown {
	if s == nil {
		return nil
	}
	retry := shown(nil)
	if s.Retry != nil {
		retry = shown{"attempt": s.Retry.Attempt, "in": millis(s.Retry.In), "at": moment(s.Retry.At), "error": s.Retry.Error}
	}
	return shown{
		"path": s.Path, "status": s.Status, "started": moment(s.Started), "ended": moment(s.Ended), "duration": millis(s.Duration),
		"attempts": s.Attempts, "outputs": s.Outputs, "error": s.Error, "handled": s.Handled, "reused": s.Reused, "redacted": s.Redacted, "warnings": s.Warnings, "skipped": s.Skipped,
		"retry": retry,
	}
}

func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
