package code

import (
	"context"
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxSafe is the largest whole number up to which a number of JavaScript is exact.
const maxSafe = 1<<53 - 1

// encode writes the inputs of a script as a JSON list, and notes their types in req.
func (s *script) encode(ctx context.Context, req *request, in []any) ([]byte, error) {
	list := make([]any, len(in))
	for i, v := range in {
		switch {
		case !node.Present(v):
			req.Absent = append(req.Absent, i)
			continue
		case hasBig(v):
			req.Exact = true
		}
		list[i] = v
	}
	if s.mode == modeEach {
		if _, isList := list[0].([]any); !isList {
			return nil, node.Permanent(node.Errorf(node.CodeTypeError, "%s brings %s; each needs a list", s.inputs[0], value.KindOf(list[0])))
		}
	}
	if err := node.Hold(ctx, value.Size(list, highMemory<<20)); err != nil {
		return nil, err
	}
	text, whole := value.AppendMax(nil, list, req.MemoryMB<<20)
	if !whole {
		return nil, node.Permanent(node.Errorf(node.CodeLimitExceeded, "the inputs are larger than the %d MB that the script may take; raise memoryMB, or bring less", req.MemoryMB))
	}
	return text, nil
}

// hasBig reports whether there are integers in v that JavaScript would round.
func hasBig(v any) bool {
	switch v := v.(type) {
	case int:
		return v > maxSafe || v < -maxSafe
	case []any:
		return slices.ContainsFunc(v, hasBig)
	case map[string]any:
		for _, field := range v {
			if hasBig(field) {
				return true
			}
		}
	}
	return false
}

// decode reads what a script has returned into the outputs.
func (s *script) decode(ctx context.Context, text []byte, out []any) error {
	if err := node.Hold(ctx, value.DecodedWeight(text)); err != nil {
		return err
	}
	v, err := value.DecodeLenient(text)
	if err != nil {
		return node.Errorf(codeScriptError, "what the script returned cannot be a value: %w", err)
	}
	switch {
	case len(s.outputs) == 1:
		out[0] = v
		return nil
	case s.mode == modeEach || s.flavour == flavourN8N:
		return s.columns(v, out)
	}
	record, isRecord := v.(map[string]any)
	if !isRecord {
		return s.noRecord(v)
	}
	for i, name := range s.outputs {
		if field, given := record[name]; given {
			out[i] = field
		}
	}
	return nil
}

// columns makes a list for each output of the records that a script has returned for
// each item.
func (s *script) columns(v any, out []any) error {
	items, _ := v.([]any)
	columns := make([][]any, len(s.outputs))
	for i := range columns {
		columns[i] = make([]any, len(items))
	}
	for n, item := range items {
		record, isRecord := item.(map[string]any)
		if !isRecord && item != nil {
			return s.noRecord(item)
		}
		for i, name := range s.outputs {
			columns[i][n] = record[name]
		}
	}
	for i := range columns {
		out[i] = columns[i]
	}
	return nil
}

func (s *script) noRecord(v any) error {
	return node.Errorf(node.CodeTypeError, "the script returned %s; with several outputs it returns a record with a member for each", value.KindOf(v))
}
