package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
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
	// CodeUnknownTrigger means that the node that is to start the run is not an enabled
	// trigger.
	CodeUnknownTrigger = "unknown_trigger"
	// CodeNeedsTrigger means that only triggers feed the workflow, and none is to fire.
	CodeNeedsTrigger = "needs_trigger"
)

// ValidationError is one problem of a workflow (docs/design.md, Validation).
type ValidationError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// NodeID is the node at fault; inside a body it is a path, "loop/inner".
	NodeID     string `json:"nodeId,omitempty"`
	Port       string `json:"port,omitempty"`
	Connection *int   `json:"connection,omitempty"` // index in the document
	Hint       string `json:"hint,omitempty"`       // how to fix it
	// At is the position of the fault in the input's text, in characters from 1; 0 if
	// unknown.
	At int `json:"at,omitempty"`
	// Truncated is the number of problems that are not listed. Only the last entry of a
	// list has it, and that entry describes no problem.
	Truncated int `json:"truncated,omitempty"`
}

// Error implements error.
func (e *ValidationError) Error() string {
	if e.NodeID == "" {
		return e.Code + ": " + e.Message
	}
	return fmt.Sprintf("%s: node %q: %s", e.Code, e.NodeID, e.Message)
}

// ValidationErrors are all problems of a workflow or of the inputs of a run, in document
// order. If there are more than [limit.Problems] or [limit.ProblemBytes], the last entry
// says how many more. As an error it means that nothing was run.
type ValidationErrors []*ValidationError

// Truncated returns how many problems are not listed.
func (es ValidationErrors) Truncated() int {
	if len(es) == 0 {
		return 0
	}
	return es[len(es)-1].Truncated
}

// Total returns how many problems there are, listed or not.
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

// problems collects validation errors with their position in the document. It keeps the
// first [limit.Problems] and only counts the others: a small document can have very many.
type problems struct {
	list []placed
	more int // that are not in list
}

type placed struct {
	place int
	err   *ValidationError
}

// maxName and maxPort limit how many bytes a problem shows of a name or type, and of its
// port.
const (
	maxName = 200
	maxPort = 512
)

func (p *problems) add(place int, e *ValidationError) {
	e.Message, e.Hint = value.Shorten(e.Message, limit.Message), value.Shorten(e.Hint, limit.Message)
	e.NodeID, e.Port = value.Shorten(e.NodeID, limit.Message), value.Shorten(e.Port, maxPort)
	p.list = append(p.list, placed{place, e})
	if len(p.list) >= 2*limit.Problems {
		p.sort()
	}
}

// include adds all problems of a body at one position.
func (p *problems) include(place int, inner *problems) {
	inner.sort()
	for _, e := range inner.list {
		p.add(place, e.err)
	}
	p.more += inner.more
}

// count returns how many problems there are, kept or not.
func (p *problems) count() int { return len(p.list) + p.more }

// sort sorts the problems by position and drops those over the limit.
func (p *problems) sort() {
	slices.SortStableFunc(p.list, func(a, b placed) int { return a.place - b.place })
	if most := limit.Problems; len(p.list) > most {
		p.more += len(p.list) - most
		clear(p.list[most:])
		p.list = p.list[:most]
	}
}

// sorted returns the problems in document order, nil if there are none.
func (p *problems) sorted() ValidationErrors {
	p.sort()
	var errs ValidationErrors
	bytes := 0
	for _, e := range p.list {
		if bytes += e.err.size(); bytes > limit.ProblemBytes {
			break
		}
		errs = append(errs, e.err)
	}
	if more := p.count() - len(errs); more > 0 {
		errs = append(errs, &ValidationError{
			Code: CodeLimitExceeded, Message: fmt.Sprintf("%d more problems are not listed", more), Hint: "correct these first", Truncated: more,
		})
	}
	return errs
}

// size returns the approximate size of e in JSON, in bytes.
func (e *ValidationError) size() int {
	n := len(`{"code":"","message":,"nodeId":,"port":,"connection":12345,"hint":},`) + len(e.Code)
	var room [limit.Message]byte // on the stack, for most
	for _, text := range []string{e.Message, e.NodeID, e.Port, e.Hint} {
		n += len(value.AppendText(room[:0], text))
	}
	return n
}

// brief shortens a name for messages.
func brief(name string) string { return value.Shorten(name, maxName) }
