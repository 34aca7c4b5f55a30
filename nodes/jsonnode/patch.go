package jsonnode

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/itchyny/gojq"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type patchIn struct {
	Value any `port:"value" doc:"The value to change; a changed copy goes out."`
	Patch any `port:"patch" widget:"json" doc:"The list of operations."`
}

type patchOut struct {
	Value any `port:"value" doc:"The changed value."`
}

func patchNode() node.Node {
	return node.Func("json.patch", "Patch JSON", applyPatch).Pure().
		Aliases("edit json, rfc 6902, change", "json ändern, bearbeiten").
		Example(map[string]any{"value": map[string]any{"name": "Ada"}, "patch": []any{map[string]any{"op": "replace", "path": "/name", "value": "Grace"}}}).Doc(
		"Changes a value by a list of operations: JSON Patch (RFC 6902).\n\n" +
			"`[{\"op\": \"replace\", \"path\": \"/name\", \"value\": \"Ada\"}, {\"op\": \"remove\", \"path\": \"/old\"}]` sets one field and takes away another. " +
			"The operations are add, remove, replace, move, copy and test; their paths are JSON pointers, and `/items/-` is the place behind the last item.\n\n" +
			"All of them happen, or none: an operation that cannot be done, or a test that finds something else, fails the node with `invalid_input` and says which. " +
			"To change a value by an example of what it should look like, use json.merge with mode = merge_patch.")
}

func applyPatch(ctx context.Context, in patchIn) (patchOut, error) {
	ops, ok := in.Patch.([]any)
	if !ok {
		return patchOut{}, node.Errorf(node.CodeInvalidInput, "the patch is a %s; it has to be a list of operations", value.KindOf(in.Patch))
	}
	p := patcher{doc: in.Value, size: value.Size(in.Value, value.MaxSize) + value.Size(in.Patch, value.MaxSize)}
	for i, v := range ops {
		if err := ctx.Err(); err != nil {
			return patchOut{}, err
		}
		if err := p.apply(v); err != nil {
			return patchOut{}, &node.Error{
				Code: node.CodeOf(err), Message: fmt.Sprintf("operation %d of the patch: %v", i, err), Permanent: true, Err: err,
			}
		}
	}
	return patchOut{p.doc}, nil
}

// patcher applies operations to doc. It copies what it changes.
type patcher struct {
	doc any
	// size is an upper bound of the size of doc as JSON. Copied values share memory, but
	// each counts in JSON.
	size int
}

// operation is one entry of a patch.
type operation struct {
	op         string
	path, from []string
	value      any
}

func (p *patcher) apply(v any) error {
	o, err := parseOperation(v)
	if err != nil {
		return err
	}
	switch o.op {
	case "add":
		return p.add(o.path, o.value)
	case "remove":
		return p.remove(o.path)
	case "replace":
		return p.replace(o.path, o.value)
	case "move":
		return p.move(o.from, o.path)
	case "copy":
		return p.copy(o.from, o.path)
	default:
		return p.test(o.path, o.value)
	}
}

// parseOperation reads an entry. Unknown members are ignored, as RFC 6902 requires.
func parseOperation(v any) (o operation, err error) {
	record, ok := v.(map[string]any)
	if !ok {
		return o, node.Errorf(node.CodeInvalidInput, "a %s; it has to be a record with op and path", value.KindOf(v))
	}
	needValue, needFrom := false, false
	switch o.op, _ = record["op"].(string); o.op {
	case "add", "replace", "test":
		needValue = true
	case "move", "copy":
		needFrom = true
	case "remove":
	default:
		return o, node.Errorf(node.CodeInvalidInput, "op has to be add, remove, replace, move, copy or test")
	}
	if o.path, err = pointerField(record, "path"); err != nil {
		return o, err
	}
	if needFrom {
		if o.from, err = pointerField(record, "from"); err != nil {
			return o, err
		}
	}
	if o.value, ok = record["value"]; needValue && !ok {
		return o, node.Errorf(node.CodeInvalidInput, "%s needs a value", o.op)
	}
	return o, nil
}

func pointerField(record map[string]any, name string) ([]string, error) {
	text, ok := record[name].(string)
	if !ok {
		return nil, node.Errorf(node.CodeInvalidInput, "%s is missing; it has to be a JSON pointer", name)
	}
	return parsePointer(text)
}

func (p *patcher) add(path []string, v any) error {
	return p.edit(path, v, func(container any, token string) (any, error) {
		list, ok := container.([]any)
		if !ok {
			if out, ok := put(container, token, v); ok {
				return out, nil
			}
			return nil, missing(container, token)
		}
		i, ok := listIndex(token)
		if token == endToken {
			i, ok = len(list), true
		}
		if !ok || i > len(list) {
			return nil, missing(container, token)
		}
		return slices.Insert(slices.Clip(list), i, v), nil
	})
}

func (p *patcher) remove(path []string) error {
	return p.edit(path, nil, func(container any, token string) (any, error) {
		if _, ok := member(container, token); !ok {
			return nil, missing(container, token)
		}
		switch x := container.(type) {
		case []any:
			i, _ := listIndex(token)
			return slices.Delete(slices.Clone(x), i, i+1), nil
		case map[string]any:
			clone := maps.Clone(x)
			delete(clone, token)
			return clone, nil
		}
		clone := mediaRecord(container.(value.Media))
		delete(clone, token)
		return clone, nil
	})
}

func (p *patcher) replace(path []string, v any) error {
	return p.edit(path, v, func(container any, token string) (any, error) {
		if _, ok := member(container, token); !ok {
			return nil, missing(container, token)
		}
		out, _ := put(container, token, v)
		return out, nil
	})
}

// edit changes the container of the value at path. If path is empty, it replaces the
// document by whole.
func (p *patcher) edit(path []string, whole any, change func(container any, token string) (any, error)) error {
	if len(path) == 0 {
		p.doc = whole
		return nil
	}
	doc, err := edit(p.doc, path, change)
	if err != nil {
		return node.Errorf(node.CodeInvalidInput, "%s: %w", cut(pointerTo(path)), err)
	}
	p.doc = doc
	return nil
}

func (p *patcher) move(from, path []string) error {
	v, ok := lookUp(p.doc, from)
	switch {
	case !ok:
		return nothingAt(from)
	case slices.Equal(from, path):
		return nil
	case len(path) > len(from) && slices.Equal(from, path[:len(from)]):
		return node.Errorf(node.CodeInvalidInput, "%s cannot move into itself", cut(pointerTo(from)))
	}
	if err := p.remove(from); err != nil {
		return err
	}
	return p.add(path, v)
}

func (p *patcher) copy(from, path []string) error {
	v, ok := lookUp(p.doc, from)
	if !ok {
		return nothingAt(from)
	}
	if p.size += value.Size(v, value.MaxSize); p.size > value.MaxSize {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the copies are too big: %w", value.ErrTooBig))
	}
	return p.add(path, v)
}

func (p *patcher) test(path []string, want any) error {
	v, ok := lookUp(p.doc, path)
	switch {
	case !ok:
		return nothingAt(path)
	case gojq.Compare(plain(v), plain(want)) != 0:
		return node.Errorf(node.CodeInvalidInput, "the test fails: %s is something else", cut(pointerTo(path)))
	}
	return nil
}

func nothingAt(path []string) error {
	return node.Errorf(node.CodeInvalidInput, "there is nothing at %s", cut(pointerTo(path)))
}
