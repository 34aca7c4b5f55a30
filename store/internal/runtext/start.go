package runtext

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

// LogVersion is the version of the log format.
const LogVersion = 2

// Summary is the part of a [run.Start] that lists and searches need.
type Summary struct {
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

// StartText is a [run.Start] in its stored form.
type StartText struct {
	Summary  Summary
	Document *run.Document
	Inputs   run.Frame // the data is the JSON of the inputs
}

// EncodeStart checks start and returns its stored form.
func EncodeStart(start *run.Start) (*StartText, error) {
	if err := CheckStart(start); err != nil {
		return nil, err
	}
	document, err := DocumentOf(start)
	if err != nil {
		return nil, err
	}
	return &StartText{Summary: SummaryOf(start, document), Document: document, Inputs: new(run.Encoder).Inputs(start.Inputs)}, nil
}

// DocumentOf returns the document that a run was started with. It fails if the document could not be
// read again.
func DocumentOf(start *run.Start) (*run.Document, error) {
	if start.Document != nil {
		return start.Document, nil
	}
	document := run.NewDocument(start.Definition, start.Workflows)
	// A definition built by a program may be no valid document, which could not be read again.
	_, _, err := document.Decode()
	return document, err
}

// SummaryOf returns the summary of a start.
func SummaryOf(start *run.Start, document *run.Document) Summary {
	return Summary{
		Version: LogVersion, RunID: start.RunID, WorkflowID: start.Definition.ID,
		StartedAt: start.StartedAt.UTC().Truncate(time.Microsecond), ResumedFrom: start.ResumedFrom, From: start.From,
		IdempotencyKey: start.IdempotencyKey, RequestDigest: start.RequestDigest, Document: FormatDigest(document.Digest),
		Firing: textOfFiring(start.Firing), StartedBy: start.StartedBy, Stored: start.Stored,
	}
}

// CheckStart returns an error if a journal cannot store start. Run ids are fields of lines and
// parts of URLs.
func CheckStart(start *run.Start) error {
	switch {
	case !IsRunID(start.RunID):
		return fmt.Errorf("%.80q is no run id: those have up to %d lower-case letters, digits and dashes", start.RunID, LongestRunID)
	case start.Definition == nil:
		return errors.New("a run needs a definition")
	}
	if err := checkFiring(start.Firing); err != nil || len(start.Inputs) == 0 {
		return err
	}
	return value.Check(start.Inputs)
}

// LongestRunID is how many characters the id of a run has at most.
const LongestRunID = 64

// IsRunID reports whether a text may be the id of a run.
func IsRunID(id string) bool {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz-"
	return id != "" && len(id) <= LongestRunID && id[0] != '-' && strings.Trim(id, letters) == ""
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// SummaryRoom is the typical size of a summary, and of a short result.
const SummaryRoom = 1 << 10

// Append appends the JSON of the summary. It avoids reflection, since every recorded run has a
// summary.
func (s *Summary) Append(dst []byte) []byte {
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

// ReadSummary parses the JSON of a summary.
func ReadSummary(text []byte) (s Summary, err error) {
	if err = json.Unmarshal(text, &s); err == nil && s.Version != LogVersion {
		err = fmt.Errorf("%w of version %d", ErrLine, LogVersion)
	}
	return s, err
}

// Decode returns the start; from provides large inputs.
func (t *StartText) Decode(from run.Source) (run.Start, error) {
	start := run.Start{
		RunID: t.Summary.RunID, StartedAt: t.Summary.StartedAt, ResumedFrom: t.Summary.ResumedFrom, From: t.Summary.From,
		IdempotencyKey: t.Summary.IdempotencyKey, RequestDigest: t.Summary.RequestDigest, StartedBy: t.Summary.StartedBy, Stored: t.Summary.Stored,
	}
	var err error
	if start.Definition, start.Workflows, err = t.Document.Decode(); err != nil {
		return run.Start{}, err
	}
	whole, err := t.Inputs.Whole(from, engine.NoElision)
	if err != nil {
		return run.Start{}, err
	}
	inputs, err := value.Decode(whole.Data)
	if err != nil {
		return run.Start{}, err
	}
	start.Inputs, _ = inputs.(map[string]any)
	start.Firing, err = t.Summary.Firing.decode()
	return start, err
}

// Ending is how and when a run ended.
type Ending struct {
	Status     engine.Status `json:"status"`
	FinishedAt time.Time     `json:"finishedAt"`
}

// EndingOf returns the ending in the head of a terminal frame.
func EndingOf(f *run.Frame) (Ending, error) {
	switch f.Status {
	case engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled:
		return Ending{f.Status, f.Time}, nil
	default:
		return Ending{}, fmt.Errorf("a run cannot end as %s", f.Status)
	}
}

// CheckAppend checks that f can follow frame number last. If f is terminal, it returns how the run
// ends.
func CheckAppend(f *run.Frame, last int) (Ending, error) {
	switch {
	case f.Seq != last+1:
		return Ending{}, fmt.Errorf("frame %d cannot follow frame %d", f.Seq, last)
	case !IsFrameName(string(f.Name)):
		return Ending{}, fmt.Errorf("frame %d has no proper name: %q", f.Seq, f.Name)
	case bytes.IndexByte(f.Data, '\n') >= 0:
		return Ending{}, fmt.Errorf("frame %d has more than one line", f.Seq)
	case f.Name.Terminal():
		return EndingOf(f)
	}
	return Ending{}, nil
}

// IsFrameName reports whether a line of this name holds a frame.
func IsFrameName(name string) bool {
	return name != "" && !slices.Contains(Reserved(), name) && !strings.ContainsAny(name, " \n")
}

// Reserved returns the names of lines that are not frames.
func Reserved() []string {
	return []string{"document", "start", "copy", "value", "end", "kept", "void", "delete", "key"}
}
