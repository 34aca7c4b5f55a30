package engine

import (
	"fmt"
	"slices"
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
}

// Error implements error.
func (e *ValidationError) Error() string {
	if e.NodeID == "" {
		return e.Code + ": " + e.Message
	}
	return fmt.Sprintf("%s: node %q: %s", e.Code, e.NodeID, e.Message)
}

// ValidationErrors is all that is wrong with a workflow or with the inputs of a
// run, in document order. As an error it means that nothing was run.
type ValidationErrors []*ValidationError

// Error implements error.
func (es ValidationErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// problems collects validation errors together with their place in the document.
type problems struct {
	list []placed
}

type placed struct {
	place int
	err   *ValidationError
}

func (p *problems) add(place int, e *ValidationError) { p.list = append(p.list, placed{place, e}) }

// sorted returns the problems in document order.
func (p *problems) sorted() ValidationErrors {
	slices.SortStableFunc(p.list, func(a, b placed) int { return a.place - b.place })
	errs := make(ValidationErrors, len(p.list))
	for i, e := range p.list {
		errs[i] = e.err
	}
	return errs
}
