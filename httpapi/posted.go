package httpapi

import (
	"bytes"
	"context"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// posted is the run that a request body asks for.
type posted struct {
	run.Request

	workflow *workflow.Definition // nil for a stored workflow
	async    bool
}

// executePosted runs the workflow in a body, with the inputs and overrides in it, if any.
func (s *Service) executePosted(ctx context.Context, text []byte, q run.Request) (app.Outcome, error) {
	if !hasInputs(text) {
		return s.app.ExecuteJSON(ctx, text, q)
	}
	p, err := decodeWithWorkflow(text, s.app.Limits())
	if err != nil {
		return nil, err
	}
	q.Inputs, q.Overrides, q.Trigger, q.Payload = p.Inputs, p.Overrides, p.Trigger, p.Payload
	return s.app.Execute(ctx, p.workflow, q, nil)
}

// startPosted starts the run that executePosted would execute.
func (s *Service) startPosted(ctx context.Context, text []byte, q run.Request) (runID string, err error) {
	if !hasInputs(text) {
		return s.app.StartJSON(ctx, text, q)
	}
	p, err := decodeWithWorkflow(text, s.app.Limits())
	if err != nil {
		return "", err
	}
	p.IdempotencyKey, p.KeyOwner = q.IdempotencyKey, q.KeyOwner
	return s.app.Start(ctx, p.workflow, p.Request)
}

// postedFields returns the members of a body that is more than a workflow. A workflow has none of
// them.
func postedFields() []string {
	return []string{"workflow", "inputs", "overrides", "trigger", "payload"}
}

// hasInputs reports whether a body is more than a workflow, by its first member.
func hasInputs(text []byte) bool {
	const space = " \t\r\n"
	inner, isObject := bytes.CutPrefix(bytes.TrimLeft(text, space), []byte("{"))
	inner = bytes.TrimLeft(inner, space)
	for _, field := range postedFields() {
		if isObject && bytes.HasPrefix(inner, []byte(`"`+field+`"`)) {
			return true
		}
	}
	return false
}

// decodeWithWorkflow reads a body of POST /execute or POST /executions that is more than a
// workflow.
func decodeWithWorkflow(text []byte, limits workflow.Limits) (posted, error) {
	return decodePosted(text, 1, postedFields(), limits)
}

// decodeForStored reads the body of POST /workflows/{id}/run. An empty text is an empty object.
func decodeForStored(text []byte) (posted, error) {
	if len(text) == 0 {
		return posted{}, nil
	}
	return decodePosted(text, 0, []string{"inputs", "overrides", "trigger", "payload", "async"}, workflow.Limits{})
}

// decodePosted reads an object with these members, the first of which are required.
func decodePosted(text []byte, required int, fields []string, limits workflow.Limits) (p posted, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(required, fields, func(field string) (err error) {
			switch field {
			case "workflow":
				p.workflow, err = workflow.Read(r, limits)
			case "inputs":
				p.Inputs, err = r.Record()
			case "overrides":
				p.Overrides, err = overrides(r)
			case "trigger":
				p.Trigger, err = r.Text()
			case "payload":
				p.Payload, err = r.Record()
			case "async":
				p.async, err = r.Bool()
			}
			return err
		})
	})
	return p, err
}

// decodeResumption reads the body of POST /executions/{id}/resume. An empty text is an empty
// object.
func decodeResumption(text []byte, limits workflow.Limits) (how run.Resumption, err error) {
	if len(text) == 0 {
		return how, nil
	}
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(0, []string{"workflow", "inputs", "from"}, func(field string) (err error) {
			switch field {
			case "workflow":
				how.Workflow, how.Current, err = resumedWorkflow(r, limits)
			case "inputs":
				how.Inputs, err = r.Record()
			case "from":
				how.From, err = r.Text()
			}
			return err
		})
	})
	return how, err
}

// resumedWorkflow reads a workflow, or "recorded" or "current".
func resumedWorkflow(r *value.Reader, limits workflow.Limits) (def *workflow.Definition, current bool, err error) {
	if !r.IsText() {
		def, err = workflow.Read(r, limits)
		return def, false, err
	}
	switch name, err := r.Text(); {
	case err != nil:
		return nil, false, err
	case name == "recorded" || name == "current":
		return nil, name == "current", nil
	}
	return nil, false, r.Errorf("the workflow is \"recorded\", \"current\", or a workflow")
}
