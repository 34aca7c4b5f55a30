package httpapi

import (
	"bytes"
	"context"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// posted is a workflow in the body of a request, with what to run it with.
type posted struct {
	workflow *workflow.Definition
	engine.Start
}

// executePosted runs what a body holds: a workflow, or a workflow with inputs and
// overrides.
func (s *Service) executePosted(ctx context.Context, text []byte) (*engine.Run, error) {
	if !hasInputs(text) {
		return s.app.ExecuteJSON(ctx, text, app.RunOptions{})
	}
	p, err := decodePosted(text, s.app.Limits())
	if err != nil {
		return nil, err
	}
	return s.app.Execute(ctx, p.workflow, app.RunOptions{Inputs: p.Inputs, Overrides: p.Overrides})
}

// startPosted starts what a body holds, as executePosted runs it.
func (s *Service) startPosted(ctx context.Context, text []byte, key string) (runID string, err error) {
	if !hasInputs(text) {
		return s.app.StartJSON(ctx, text, engine.Start{IdempotencyKey: key})
	}
	p, err := decodePosted(text, s.app.Limits())
	if err != nil {
		return "", err
	}
	p.IdempotencyKey = key
	return s.app.Start(ctx, p.workflow, p.Start)
}

// postedFields are the members of a body with more than a workflow. A workflow
// itself has none of them.
func postedFields() []string { return []string{"workflow", "inputs", "overrides"} }

// hasInputs reports whether a body is not the workflow itself, by its first
// member.
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

func decodePosted(text []byte, limits workflow.Limits) (p posted, err error) {
	err = value.Read(text, func(r *value.Reader) error {
		return r.Object(1, postedFields(), func(field string) (err error) {
			switch field {
			case "workflow":
				p.workflow, err = workflow.Read(r, limits)
			case "inputs":
				p.Inputs, err = r.Record()
			case "overrides":
				p.Overrides, err = overrides(r)
			}
			return err
		})
	})
	return p, err
}
