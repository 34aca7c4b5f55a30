package engine

import (
	"fmt"
	"strings"
)

// The codes of validation problems (docs/design.md, Validation).
const (
	CodeDuplicateNodeID         = "duplicate_node_id"
	CodeUnknownNodeType         = "unknown_node_type"
	CodeMissingSourceNode       = "missing_source_node"
	CodeMissingTargetNode       = "missing_target_node"
	CodeMissingOutputPort       = "missing_output_port"
	CodeMissingInputPort        = "missing_input_port"
	CodeTypeMismatch            = "type_mismatch"
	CodeDuplicateConnection     = "duplicate_input_connection"
	CodeMissingRequiredInput    = "missing_required_input"
	CodeCycleDetected           = "cycle_detected"
	CodeInvalidConfig           = "invalid_config"
	CodeInvalidID               = "invalid_id"
	CodeUnknownConfig           = "unknown_config"
	CodeDuplicateWorkflowInput  = "duplicate_workflow_input"
	CodeDuplicateWorkflowOutput = "duplicate_workflow_output"
	CodeUnknownWorkflow         = "unknown_workflow"
	CodeInvalidBody             = "invalid_body"
	CodeLimitExceeded           = "limit_exceeded"

	// At the start of a run.
	CodeUnknownInput = "unknown_input"
	CodeMissingInput = "missing_input"
	CodeTypeError    = "type_error"
	CodeUnknownPin   = "unknown_pin"
	// CodeUnknownTrigger is that of a run that is to begin with a node that is no trigger.
	CodeUnknownTrigger = "unknown_trigger"
)

// ValidationError is one problem of a workflow (docs/design.md, Validation).
type ValidationError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// NodeID is the node at fault; inside a body it is a path, "loop/inner".
	NodeID     string `json:"nodeId,omitempty"`
	Port       string `json:"port,omitempty"`
	Connection *int   `json:"connection,omitempty"` // index in the document
	Hint       string `json:"hint,omitempty"`       // what to do about it
	// At is the character of the input's text that is at fault, from 1; 0 where nobody knows.
	At int `json:"at,omitempty"`
	// Truncated is how many problems are not told because there are too many. Only the
	// last problem has it, and is about nothing else.
	Truncated int `json:"truncated,omitempty"`
}

// Error implements error.
func (e *ValidationError) Error() string {
	if e.NodeID == "" {
		return e.Code + ": " + e.Message
	}
	return fmt.Sprintf("%s: node %q: %s", e.Code, e.NodeID, e.Message)
}

// ValidationErrors is all that is wrong with a workflow or with the inputs of a
// run, in document order. Where that is more than [limit.Problems] or
// [limit.ProblemBytes], the last one says how many more there are. As an error it means
// that nothing was run.
type ValidationErrors []*ValidationError

// Truncated returns how many problems there are besides those that are told.
func (es ValidationErrors) Truncated() int {
	if len(es) == 0 {
		return 0
	}
	return es[len(es)-1].Truncated
}

// Total returns how many problems there are, told or not.
func (es ValidationErrors) Total() int {
	if more := es.Truncated(); more > 0 {
		return len(es) - 1 + more
	}
	return len(es)
}

// Error implements error.
func (es ValidationErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}
