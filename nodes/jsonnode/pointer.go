package jsonnode

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// endToken refers to the position after the last item of a list (RFC 6901).
const endToken = "-"

// parsePointer returns the tokens of a JSON pointer (RFC 6901), unescaped.
func parsePointer(text string) ([]string, error) {
	if !jsontext.Pointer(text).IsValid() {
		return nil, node.Errorf(node.CodeInvalidInput,
			"%s is no JSON pointer; it is empty or starts with /, and ~ is written ~0, / inside of a name ~1", strconv.Quote(cut(text)))
	}
	return slices.Collect(jsontext.Pointer(text).Tokens()), nil
}

// cut shortens a text for a message.
func cut(text string) string { return shorten(text, 100) }

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// pointerTo returns the JSON pointer with the given tokens; it is the inverse of
// parsePointer.
func pointerTo(tokens []string) string {
	var p jsontext.Pointer
	for _, t := range tokens {
		p = p.AppendToken(t)
	}
	return string(p)
}

// lookUp returns the value that the tokens refer to.
func lookUp(v any, tokens []string) (any, bool) {
	for _, t := range tokens {
		var ok bool
		if v, ok = member(v, t); !ok {
			return nil, false
		}
	}
	return v, true
}

// member returns the field or item of v that a token refers to.
func member(v any, token string) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		e, ok := x[token]
		return e, ok
	case []any:
		if i, ok := listIndex(token); ok && i < len(x) {
			return x[i], true
		}
	case value.Media:
		e, ok := mediaRecord(x)[token]
		return e, ok
	}
	return nil, false
}

// listIndex parses a token as the index of an item: digits without a leading zero.
func listIndex(token string) (int, bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i >= 0 && strconv.Itoa(i) == token
}

// put returns a shallow copy of container in which the field or existing item named by
// token is v.
func put(container any, token string, v any) (any, bool) {
	switch x := container.(type) {
	case map[string]any:
		clone := make(map[string]any, len(x)+1)
		maps.Copy(clone, x)
		clone[token] = v
		return clone, true
	case []any:
		if i, ok := listIndex(token); ok && i < len(x) {
			clone := slices.Clone(x)
			clone[i] = v
			return clone, true
		}
	case value.Media:
		return put(mediaRecord(x), token, v)
	}
	return nil, false
}

// edit returns v with change applied to the container of the value that the tokens refer
// to. It copies the lists and records on the path and shares the rest. There must be at
// least one token.
func edit(v any, tokens []string, change func(container any, token string) (any, error)) (any, error) {
	if len(tokens) == 1 {
		return change(v, tokens[0])
	}
	below, ok := member(v, tokens[0])
	if !ok {
		return nil, missing(v, tokens[0])
	}
	below, err := edit(below, tokens[1:], change)
	if err != nil {
		return nil, err
	}
	out, _ := put(v, tokens[0], below)
	return out, nil
}

// missing returns the error for a token that refers to nothing.
func missing(container any, token string) error {
	quoted := strconv.Quote(cut(token))
	switch x := container.(type) {
	case map[string]any, value.Media:
		return node.Errorf(node.CodeInvalidInput, "there is no field %s", quoted)
	case []any:
		if _, ok := listIndex(token); !ok {
			return node.Errorf(node.CodeInvalidInput, "%s is no index of a list", quoted)
		}
		return node.Errorf(node.CodeInvalidInput, "the list has no item %s, only %d items", quoted, len(x))
	}
	return node.Errorf(node.CodeInvalidInput, "a %s has no %s", value.KindOf(container), quoted)
}
