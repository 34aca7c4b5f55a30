package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// runSummary is what lists and searches have to know of a [run.Start].
type runSummary struct {
	Version        int       `json:"version"` // of the form of the journal
	RunID          string    `json:"runId"`
	WorkflowID     string    `json:"workflowId"`
	StartedAt      time.Time `json:"startedAt"`
	ResumedFrom    string    `json:"resumedFrom,omitempty"`
	IdempotencyKey string    `json:"idempotencyKey,omitempty"`
	RequestDigest  string    `json:"requestDigest,omitempty"`
}

// startText is a [run.Start] as it is kept: what is read of every run, and what is
// read only of those that are asked for.
type startText struct {
	summary runSummary
	body    []byte // one line of JSON
}

// encodeStart returns what is to be kept of start, which it checks.
func encodeStart(start run.Start) (startText, error) {
	if err := checkStart(start); err != nil {
		return startText{}, err
	}
	text := startText{
		summary: runSummary{
			Version: journalVersion, RunID: start.RunID, WorkflowID: start.Definition.ID,
			StartedAt: start.StartedAt.UTC().Round(0), ResumedFrom: start.ResumedFrom,
			IdempotencyKey: start.IdempotencyKey, RequestDigest: start.RequestDigest,
		},
		body: appendStartBody(nil, start),
	}
	// Built by a program, a definition may hold what no document can. Kept, it
	// could not be read again.
	_, err := text.decode()
	return text, err
}

// checkStart refuses what no journal can hold. Run ids become names of files, so
// they are made of what every file system takes.
func checkStart(start run.Start) error {
	const longest, letters = 64, "0123456789abcdefghijklmnopqrstuvwxyz-"
	id := start.RunID
	switch {
	case id == "" || len(id) > longest || id[0] == '-' || strings.Trim(id, letters) != "":
		return fmt.Errorf("%.80q is no run id: those have up to %d lower-case letters, digits and dashes", id, longest)
	case start.Definition == nil:
		return errors.New("a run needs a definition")
	}
	return value.Check(orEmpty(start.Inputs))
}

func appendStartBody(dst []byte, start run.Start) []byte {
	dst = append(dst, `{"definition":`...)
	dst = start.Definition.AppendJSON(dst)
	dst = append(dst, `,"workflows":{`...)
	for i, id := range slices.Sorted(maps.Keys(start.Workflows)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(value.AppendText(dst, id), ':')
		dst = start.Workflows[id].AppendJSON(dst)
	}
	dst = append(dst, `},"inputs":`...)
	dst = value.Append(dst, orEmpty(start.Inputs))
	return append(dst, '}')
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// decode sets no limits: what was started once can be started again.
func (t startText) decode() (run.Start, error) {
	var body struct {
		Definition json.RawMessage            `json:"definition"`
		Workflows  map[string]json.RawMessage `json:"workflows"`
		Inputs     json.RawMessage            `json:"inputs"`
	}
	d := json.NewDecoder(bytes.NewReader(t.body))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		return run.Start{}, err
	}
	start := run.Start{
		RunID: t.summary.RunID, StartedAt: t.summary.StartedAt, ResumedFrom: t.summary.ResumedFrom,
		Workflows:      make(map[string]*workflow.Definition, len(body.Workflows)),
		IdempotencyKey: t.summary.IdempotencyKey, RequestDigest: t.summary.RequestDigest,
	}
	var err error
	if start.Definition, err = workflow.Decode(body.Definition, workflow.Limits{}); err != nil {
		return run.Start{}, err
	}
	for id, text := range body.Workflows {
		if start.Workflows[id], err = workflow.Decode(text, workflow.Limits{}); err != nil {
			return run.Start{}, err
		}
	}
	inputs, err := value.Decode(body.Inputs)
	if err != nil {
		return run.Start{}, err
	}
	start.Inputs, _ = inputs.(map[string]any)
	return start, nil
}

// line returns the first line of a journal.
func (s runSummary) line() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return appendLine(nil, 0, lineRun, data)
}

// record describes a run that has just started.
func (s runSummary) record() run.Record {
	return run.Record{
		RunID: s.RunID, WorkflowID: s.WorkflowID, Status: engine.StatusRunning,
		StartedAt: s.StartedAt, ResumedFrom: s.ResumedFrom,
	}
}

// ending is what lists say about the end of a run.
type ending struct {
	Status     engine.Status `json:"status"`
	FinishedAt time.Time     `json:"finishedAt"`
}

// endingOf returns what the head of a terminal frame says about the end of its run.
func endingOf(f run.Frame) (ending, error) {
	switch f.Status {
	case engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled:
		return ending{f.Status, f.Time}, nil
	default:
		return ending{}, fmt.Errorf("a run cannot end as %s", f.Status)
	}
}

// readResult returns the outcome that a terminal frame holds.
func readResult(f run.Frame) (*engine.Result, error) {
	event, err := f.Event()
	return event.Result, err
}

// checkAppend refuses what cannot be the frame behind number last, and returns how
// the run ends if f is its last frame.
func checkAppend(f run.Frame, last int) (ending, error) {
	switch {
	case f.Seq != last+1:
		return ending{}, fmt.Errorf("frame %d cannot follow frame %d", f.Seq, last)
	case f.Name == "" || strings.ContainsAny(string(f.Name), " \n"):
		return ending{}, fmt.Errorf("frame %d has no proper name: %q", f.Seq, f.Name)
	case bytes.IndexByte(f.Data, '\n') >= 0:
		return ending{}, fmt.Errorf("frame %d has more than one line", f.Seq)
	case f.Name.Terminal():
		return endingOf(f)
	}
	return ending{}, nil
}
