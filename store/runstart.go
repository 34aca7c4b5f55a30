package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
)

// logVersion is that of the form of the log.
const logVersion = 2

// runSummary is what lists and searches have to know of a [run.Start].
type runSummary struct {
	Version        int       `json:"version"`
	RunID          string    `json:"runId"`
	WorkflowID     string    `json:"workflowId"`
	StartedAt      time.Time `json:"startedAt"`
	ResumedFrom    string    `json:"resumedFrom,omitempty"`
	From           string    `json:"from,omitempty"`
	IdempotencyKey string    `json:"idempotencyKey,omitempty"`
	RequestDigest  string    `json:"requestDigest,omitempty"`
	Document       string    `json:"document"` // digest of the workflow

	Firing    *firingText    `json:"firing,omitempty"`
	StartedBy *run.StartedBy `json:"startedBy,omitempty"`
	Stored    bool           `json:"stored,omitempty"`
}

// startText is a [run.Start] as it is kept.
type startText struct {
	summary  runSummary
	document *run.Document
	inputs   run.Frame // the data of which is the JSON of the inputs
}

// encodeStart returns what is to be kept of start, which it checks.
func encodeStart(start *run.Start) (*startText, error) {
	if err := checkStart(start); err != nil {
		return nil, err
	}
	document, err := documentOf(start)
	if err != nil {
		return nil, err
	}
	return &startText{summary: summaryOf(start, document), document: document, inputs: new(run.Encoder).Inputs(start.Inputs)}, nil
}

func documentOf(start *run.Start) (*run.Document, error) {
	if start.Document != nil {
		return start.Document, nil
	}
	document := run.NewDocument(start.Definition, start.Workflows)
	// Built by a program, a definition may hold what no document can. Kept, it could not be
	// read again.
	_, _, err := document.Decode()
	return document, err
}

func summaryOf(start *run.Start, document *run.Document) runSummary {
	return runSummary{
		Version: logVersion, RunID: start.RunID, WorkflowID: start.Definition.ID,
		StartedAt: start.StartedAt.UTC().Truncate(time.Microsecond), ResumedFrom: start.ResumedFrom, From: start.From,
		IdempotencyKey: start.IdempotencyKey, RequestDigest: start.RequestDigest, Document: formatDigest(document.Digest),
		Firing: textOfFiring(start.Firing), StartedBy: start.StartedBy, Stored: start.Stored,
	}
}

// checkStart refuses what no journal can hold. Run ids are words of lines, and become
// parts of addresses.
func checkStart(start *run.Start) error {
	switch {
	case !isRunID(start.RunID):
		return fmt.Errorf("%.80q is no run id: those have up to %d lower-case letters, digits and dashes", start.RunID, longestRunID)
	case start.Definition == nil:
		return errors.New("a run needs a definition")
	}
	if err := checkFiring(start.Firing); err != nil || len(start.Inputs) == 0 {
		return err
	}
	return value.Check(start.Inputs)
}

const longestRunID = 64

func isRunID(id string) bool {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz-"
	return id != "" && len(id) <= longestRunID && id[0] != '-' && strings.Trim(id, letters) == ""
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// summaryRoom is about how many bytes a summary takes, and a result that is short.
const summaryRoom = 1 << 10

// append appends the JSON of a summary: every recorded run has one, so it is not left to
// reflection.
func (s *runSummary) append(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, `{"version":`...), int64(s.Version), 10)
	text := func(name, v string) {
		if v != "" {
			dst = value.AppendText(append(append(append(dst, `,"`...), name...), `":`...), v)
		}
	}
	text("runId", s.RunID)
	text("workflowId", s.WorkflowID)
	dst = s.StartedAt.AppendFormat(append(dst, `,"startedAt":"`...), time.RFC3339Nano)
	dst = append(dst, '"')
	text("resumedFrom", s.ResumedFrom)
	text("from", s.From)
	text("idempotencyKey", s.IdempotencyKey)
	text("requestDigest", s.RequestDigest)
	text("document", s.Document)
	if s.Firing != nil {
		dst = value.AppendText(append(dst, `,"firing":{"node":`...), s.Firing.Node)
		dst = append(append(append(dst, `,"outputs":`...), s.Firing.Outputs...), '}')
	}
	if s.StartedBy != nil {
		dst = value.AppendText(append(dst, `,"startedBy":{"trigger":`...), s.StartedBy.Trigger)
		dst = value.AppendText(append(dst, `,"type":`...), s.StartedBy.Type)
		dst = append(strconv.AppendInt(append(dst, `,"chain":`...), int64(s.StartedBy.Chain), 10), '}')
	}
	if s.Stored {
		dst = append(dst, `,"stored":true`...)
	}
	return append(dst, '}')
}

// readSummary reads the JSON of a summary.
func readSummary(text []byte) (s runSummary, err error) {
	if err = json.Unmarshal(text, &s); err == nil && s.Version != logVersion {
		err = fmt.Errorf("%w of version %d", errLine, logVersion)
	}
	return s, err
}

// decode returns the start with the workflow of its document and its large inputs.
func (t *startText) decode(from run.Source) (run.Start, error) {
	start := run.Start{
		RunID: t.summary.RunID, StartedAt: t.summary.StartedAt, ResumedFrom: t.summary.ResumedFrom, From: t.summary.From,
		IdempotencyKey: t.summary.IdempotencyKey, RequestDigest: t.summary.RequestDigest, StartedBy: t.summary.StartedBy, Stored: t.summary.Stored,
	}
	var err error
	if start.Definition, start.Workflows, err = t.document.Decode(); err != nil {
		return run.Start{}, err
	}
	whole, err := t.inputs.Whole(from, engine.NoElision)
	if err != nil {
		return run.Start{}, err
	}
	inputs, err := value.Decode(whole.Data)
	if err != nil {
		return run.Start{}, err
	}
	start.Inputs, _ = inputs.(map[string]any)
	start.Firing, err = t.summary.Firing.decode()
	return start, err
}

// ending is what lists say about the end of a run.
type ending struct {
	Status     engine.Status `json:"status"`
	FinishedAt time.Time     `json:"finishedAt"`
}

// endingOf returns what the head of a terminal frame says about the end of its run.
func endingOf(f *run.Frame) (ending, error) {
	switch f.Status {
	case engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled:
		return ending{f.Status, f.Time}, nil
	default:
		return ending{}, fmt.Errorf("a run cannot end as %s", f.Status)
	}
}

// checkAppend refuses what cannot be the frame behind number last, and returns how
// the run ends if f is its last frame.
func checkAppend(f *run.Frame, last int) (ending, error) {
	switch {
	case f.Seq != last+1:
		return ending{}, fmt.Errorf("frame %d cannot follow frame %d", f.Seq, last)
	case !isFrameName(string(f.Name)):
		return ending{}, fmt.Errorf("frame %d has no proper name: %q", f.Seq, f.Name)
	case bytes.IndexByte(f.Data, '\n') >= 0:
		return ending{}, fmt.Errorf("frame %d has more than one line", f.Seq)
	case f.Name.Terminal():
		return endingOf(f)
	}
	return ending{}, nil
}

func isFrameName(name string) bool {
	return name != "" && !slices.Contains(reserved(), name) && !strings.ContainsAny(name, " \n")
}

// reserved returns the names of the lines of a run log that hold no frame.
func reserved() []string {
	return []string{"document", "start", "copy", "value", "end", "kept", "void", "delete", "key"}
}
