package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// UnmarshalJSON reads the wire form of an event's data (docs/design.md, Events), for
// clients and journals. The name of the event is not part of it and stays as it
// is. Fields that it does not know are passed over, so that an older client can
// follow a newer service.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w struct {
		Seq            int       `json:"seq"`
		RunID          string    `json:"runId"`
		Time           time.Time `json:"time"`
		NodeID         string    `json:"nodeId"`
		WorkflowID     string    `json:"workflowId"`
		Status         Status    `json:"status"`
		Outputs        record    `json:"outputs"`
		Error          *Failure  `json:"error"`
		Handled        bool      `json:"handled"`
		Reused         bool      `json:"reused"`
		Redacted       bool      `json:"redacted"`
		Permanent      bool      `json:"permanent"`
		SkippedBecause *Skip     `json:"skippedBecause"`
		DurationMs     millis    `json:"durationMs"`
		Attempts       int       `json:"attempts"`
		Step           int       `json:"step"`
		Total          int       `json:"total"`
		Message        string    `json:"message"`
		RetryInMs      millis    `json:"retryInMs"`
		Result         *Result   `json:"result"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("decode an event: %w", err)
	}
	*e = Event{
		Name: e.Name, Seq: w.Seq, RunID: w.RunID, Time: w.Time, NodeID: w.NodeID, WorkflowID: w.WorkflowID,
		Status: w.Status, Outputs: w.Outputs, Error: w.Error, Handled: w.Handled, Reused: w.Reused, Redacted: w.Redacted,
		Permanent: w.Permanent, SkippedBecause: w.SkippedBecause, Duration: time.Duration(w.DurationMs), Attempts: w.Attempts,
		Step: w.Step, Total: w.Total, Message: w.Message, RetryIn: time.Duration(w.RetryInMs), Result: w.Result,
	}
	return nil
}

// UnmarshalJSON reads the wire form of a result (docs/design.md, Execution). Fields that
// it does not know are passed over.
func (r *Result) UnmarshalJSON(data []byte) error {
	var w struct {
		RunID      string                `json:"runId"`
		WorkflowID string                `json:"workflowId"`
		Status     Status                `json:"status"`
		StartedAt  time.Time             `json:"startedAt"`
		FinishedAt time.Time             `json:"finishedAt"`
		DurationMs millis                `json:"durationMs"`
		Outputs    record                `json:"outputs"`
		Nodes      map[string]NodeResult `json:"nodes"`
		Order      []string              `json:"order"`
		Error      *Failure              `json:"error"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("decode a result: %w", err)
	}
	*r = Result{
		RunID: w.RunID, WorkflowID: w.WorkflowID, Status: w.Status, StartedAt: w.StartedAt, FinishedAt: w.FinishedAt,
		Duration: time.Duration(w.DurationMs), Outputs: w.Outputs, Nodes: w.Nodes, Order: w.Order, Error: w.Error,
	}
	return nil
}

// UnmarshalJSON reads the wire form of a node's outcome.
func (n *NodeResult) UnmarshalJSON(data []byte) error {
	var w struct {
		Status         Status    `json:"status"`
		Outputs        record    `json:"outputs"`
		Error          *Failure  `json:"error"`
		Handled        bool      `json:"handled"`
		Redacted       bool      `json:"redacted"`
		SkippedBecause *Skip     `json:"skippedBecause"`
		StartedAt      time.Time `json:"startedAt"`
		DurationMs     millis    `json:"durationMs"`
		Attempts       int       `json:"attempts"`
	}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*n = NodeResult{
		Status: w.Status, Outputs: w.Outputs, Error: w.Error, Handled: w.Handled, Redacted: w.Redacted, SkippedBecause: w.SkippedBecause,
		StartedAt: w.StartedAt, Duration: time.Duration(w.DurationMs), Attempts: w.Attempts,
	}
	return nil
}

// record is values by name, whose integers stay integers.
type record map[string]any

func (r *record) UnmarshalJSON(data []byte) error {
	v, err := value.Decode(data)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("an object is wanted, not %.20q", data)
	}
	*r = m
	return nil
}

// millis is a duration that is written in milliseconds, to the microsecond.
type millis time.Duration

func (m *millis) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*m = millis(math.Round(ms*1000)) * millis(time.Microsecond)
	return nil
}
