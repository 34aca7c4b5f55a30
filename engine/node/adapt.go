package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine/value"
)

// fromMaps adapts an Executor to the engine's calling form. The executor's results are not
// trusted: every value is checked and converted to the type of its port.
func fromMaps(s *Spec, e Executor) Call {
	inputs, outputs := s.Inputs, s.Outputs
	return func(ctx context.Context, in, out []any) error {
		given := make(map[string]any, len(in))
		for i := range inputs {
			if Present(in[i]) {
				given[inputs[i].Name] = in[i]
			}
		}
		result, err := e(ctx, given)
		if err != nil {
			return err
		}
		taken := 0
		for i := range outputs {
			v, ok := result[outputs[i].Name]
			if !ok {
				continue
			}
			taken++
			if out[i], err = Accept(&outputs[i], v); err != nil {
				return err
			}
		}
		if taken != len(result) {
			return unknownOutput(outputs, result)
		}
		return nil
	}
}

// Accept checks and converts a value that a node implementation returns for output p. Its
// error has the code type_error, not_finite or limit_exceeded.
func Accept(p *Port, v any) (any, error) {
	err := value.Check(v)
	if err == nil {
		v, err = value.Conform(v, p.Type)
	}
	if err == nil {
		return v, nil
	}
	code := CodeTypeError
	switch {
	case errors.Is(err, value.ErrNotFinite):
		code = CodeNotFinite
	case errors.Is(err, value.ErrTooBig):
		code = CodeLimitExceeded
	}
	return nil, &Error{Code: code, Message: fmt.Sprintf("output %q: %v", p.Name, err), Permanent: true, Err: err}
}

func unknownOutput(outputs []Port, result map[string]any) error {
	known := make(map[string]bool, len(outputs))
	for i := range outputs {
		known[outputs[i].Name] = true
	}
	for name := range result {
		if !known[name] {
			return Errorf(CodeTypeError, "the executor returned an output %q that its spec does not declare", name)
		}
	}
	return nil
}
