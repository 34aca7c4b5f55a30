package cluster

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// outcome is what came of a placed call, as it is kept.
type outcome struct {
	Outputs      json.RawMessage `json:"outputs,omitempty"`
	Code         string          `json:"code,omitempty"` // of a failure
	Message      string          `json:"message,omitempty"`
	Permanent    bool            `json:"permanent,omitempty"`
	RetryAfterMs int64           `json:"retryAfterMs,omitempty"`
}

func outcomeOf(a engine.Answered) ([]byte, error) {
	o := outcome{}
	if e := a.Err; e != nil {
		o.Code, o.Message, o.Permanent, o.RetryAfterMs = e.Code, e.Message, e.Permanent, e.RetryAfter.Milliseconds()
	} else {
		o.Outputs = value.AppendExact(nil, a.Outputs)
	}
	return json.Marshal(o)
}

// readOutcome returns what a node has put out elsewhere, or why it failed there.
func readOutcome(text []byte) (outputs map[string]any, err error) {
	var o outcome
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("the outcome of a placed node cannot be read: %w", err)
	}
	if o.Code != "" {
		return nil, &node.Error{Code: o.Code, Message: o.Message, Permanent: o.Permanent, RetryAfter: time.Duration(o.RetryAfterMs) * time.Millisecond}
	}
	read, err := value.Decode(o.Outputs)
	outputs, ok := read.(map[string]any)
	if err != nil || !ok {
		return nil, fmt.Errorf("the outputs of a placed node cannot be read: %w", err)
	}
	return outputs, nil
}

// told is what a placed node has told of its progress, as it is kept.
type told struct {
	Step    int    `json:"step,omitempty"`
	Total   int    `json:"total,omitempty"`
	Message string `json:"message,omitempty"`
}

func (t told) text() string {
	text, _ := json.Marshal(t) // nothing in it can fail
	return string(text)
}
