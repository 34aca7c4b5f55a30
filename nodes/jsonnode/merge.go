package jsonnode

import (
	"context"
	"maps"

	"github.com/svcflow/svc/engine/node"
)

type mergeIn struct {
	A    any    `port:"a" doc:"The first value."`
	B    any    `port:"b" doc:"The second value; where both say something, it wins."`
	Mode string `port:"mode" enum:"deep|shallow|merge_patch" default:"deep" doc:"How far the merging goes, and what null means."`
}

type mergeOut struct {
	Value any `port:"value" doc:"The merged value."`
}

func mergeNode() node.Node {
	return node.Func("json.merge", "Merge JSON", merge).Pure().
		Aliases("combine objects, extend, assign", "objekte verbinden, zusammenführen").
		Example(map[string]any{"a": map[string]any{"name": "Ada", "born": 1815}, "b": map[string]any{"born": 1816}}).Doc(
		"Puts two records together. What only one of them has is kept; where both have a field:\n\n" +
			"- `deep`: two records are merged in turn; else the field of b wins, null included. `{\"a\": {\"x\": 1}}` and `{\"a\": {\"y\": 2}}` give `{\"a\": {\"x\": 1, \"y\": 2}}`.\n" +
			"- `shallow`: the field of b wins. The same two give `{\"a\": {\"y\": 2}}`.\n" +
			"- `merge_patch` (RFC 7396): like deep, but null in b takes the field away. `{\"a\": 1, \"b\": 2}` and `{\"a\": null}` give `{\"b\": 2}`.\n\n" +
			"Lists are never merged: the one of b wins; to append, use listops.concat. If a or b is no record at all, b wins.")
}

func merge(_ context.Context, in mergeIn) (mergeOut, error) {
	switch in.Mode {
	case "shallow":
		return mergeOut{mergeShallow(in.A, in.B)}, nil
	case "merge_patch":
		return mergeOut{mergePatch(in.A, in.B)}, nil
	default:
		return mergeOut{mergeDeep(in.A, in.B)}, nil
	}
}

func mergeShallow(a, b any) any {
	ra, ok := a.(map[string]any)
	rb, both := b.(map[string]any)
	if !ok || !both {
		return b
	}
	out := make(map[string]any, len(ra)+len(rb))
	maps.Copy(out, ra)
	maps.Copy(out, rb)
	return out
}

func mergeDeep(a, b any) any {
	ra, ok := a.(map[string]any)
	rb, both := b.(map[string]any)
	if !ok || !both {
		return b
	}
	out := make(map[string]any, len(ra)+len(rb))
	maps.Copy(out, ra)
	for k, v := range rb {
		if old, ok := ra[k]; ok {
			v = mergeDeep(old, v)
		}
		out[k] = v
	}
	return out
}

// mergePatch applies a merge patch (RFC 7396, section 2).
func mergePatch(target, patch any) any {
	fields, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	old, _ := target.(map[string]any)
	out := make(map[string]any, len(old)+len(fields))
	maps.Copy(out, old)
	for k, v := range fields {
		if v == nil {
			delete(out, k)
		} else {
			out[k] = mergePatch(old[k], v)
		}
	}
	return out
}
