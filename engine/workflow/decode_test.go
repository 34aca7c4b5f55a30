package workflow_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// greet has every field once.
const greet = `{"id":"greet","name":"Greet","description":"d","nodes":[` +
	`{"id":"who","type":"io.input","config":{"default":"World","name":"who"},"position":{"x":0,"y":-1.5}},` +
	`{"id":"fmt","type":"text.format","label":"Greeting","config":{"template":"Hello, {name}!"},"timeoutMs":5000,` +
	`"retry":{"maxAttempts":3,"initialMs":200,"factor":1.5,"maxMs":10000},"disabled":true},` +
	`{"id":"each","type":"control.foreach","body":{"nodes":[],"connections":[]}}],` +
	`"connections":[{"fromNodeId":"who","fromPort":"value","toNodeId":"fmt","toPort":"name"}],` +
	`"groups":[{"id":"g1","label":"Greeting","nodeIds":["fmt"],"color":"#888888"}],` +
	`"notes":[{"id":"n1","text":"…","position":{"x":0,"y":200},"size":{"w":160,"h":80},"color":"#ffffff"}]}`

func decode(text string) (*workflow.Definition, error) {
	return workflow.Decode([]byte(text), workflow.DefaultLimits())
}

func TestDecode(t *testing.T) {
	d, err := decode(greet)
	require.NoError(t, err)
	require.Equal(t, &workflow.Definition{
		ID: "greet", Name: "Greet", Description: "d",
		Nodes: []workflow.Node{
			{ID: "who", Type: "io.input", Config: map[string]any{"name": "who", "default": "World"}, Position: &workflow.Position{Y: -1.5}},
			{
				ID: "fmt", Type: "text.format", Label: "Greeting", Config: map[string]any{"template": "Hello, {name}!"}, TimeoutMs: 5000,
				Retry: &workflow.Retry{MaxAttempts: 3, InitialMs: 200, Factor: 1.5, MaxMs: 10000}, Disabled: true,
			},
			{ID: "each", Type: "control.foreach", Body: &workflow.Definition{Nodes: []workflow.Node{}, Connections: []workflow.Connection{}}},
		},
		Connections: []workflow.Connection{{FromNodeID: "who", FromPort: "value", ToNodeID: "fmt", ToPort: "name"}},
		Groups:      []workflow.Group{{ID: "g1", Label: "Greeting", NodeIDs: []string{"fmt"}, Color: "#888888"}},
		Notes:       []workflow.Note{{ID: "n1", Text: "…", Position: &workflow.Position{Y: 200}, Size: &workflow.Size{W: 160, H: 80}, Color: "#ffffff"}},
	}, d)
}

func TestDecodeConfigValues(t *testing.T) {
	d, err := decode(`{"id":"a","nodes":[{"id":"n","type":"t","config":{"a":null,"b":9223372036854775807,"c":9223372036854775808,"d":-0,"e":[{}]}}],"connections":[]}`)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"a": nil, "b": math.MaxInt, "c": float64(1 << 63), "d": math.Copysign(0, -1), "e": []any{map[string]any{}},
	}, d.Nodes[0].Config)
}

// What is not the form is not judged here.
func TestDecodeLeavesMeaningToCompile(t *testing.T) {
	for _, text := range []string{
		`{"id":"","nodes":[],"connections":[]}`,
		`{"id":"../..","nodes":[{"id":"a/b","type":""},{"id":"a/b","type":"x"}],"connections":[]}`,
		`{"id":"a","nodes":[],"connections":[{"fromNodeId":"","fromPort":"","toNodeId":"","toPort":""}]}`,
	} {
		_, err := decode(text)
		require.NoError(t, err)
	}
}

func TestDecodeLimits(t *testing.T) {
	nested := func(n int) string {
		return strings.Repeat(`{"nodes":[{"id":"n","type":"t","body":`, n) + `{"nodes":[],"connections":[]}` + strings.Repeat(`}],"connections":[]}`, n)
	}
	outermost := func(n int) []byte { return []byte(`{"id":"a",` + nested(n)[1:]) }

	_, err := workflow.Decode(outermost(64), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = workflow.Decode(outermost(65), workflow.DefaultLimits())
	require.ErrorContains(t, err, "bodies are nested deeper than 64")
	_, err = workflow.Decode(outermost(65), workflow.Limits{})
	require.NoError(t, err)
	_, err = workflow.Decode(outermost(400), workflow.Limits{})
	require.ErrorContains(t, err, "lists and objects are nested deeper than 1000", "there is a limit even without limits")

	_, err = workflow.Decode([]byte(greet), workflow.Limits{Bytes: len(greet)})
	require.NoError(t, err)
	_, err = workflow.Decode([]byte(greet), workflow.Limits{Bytes: len(greet) - 1})
	require.ErrorIs(t, err, workflow.ErrTooLarge)
}

// TestDecodeTruncated cuts a document at every byte.
func TestDecodeTruncated(t *testing.T) {
	for i := range greet {
		_, err := decode(greet[:i])
		var e *value.SyntaxError
		require.ErrorAs(t, err, &e, "%d", i)
		require.LessOrEqual(t, e.Offset, int64(i))
		require.NotEmpty(t, e.Reason)
	}
}

// TestDecodeDuplicates doubles each member of each object of a document.
func TestDecodeDuplicates(t *testing.T) {
	names := []string{
		"id", "name", "description", "nodes", "type", "config", "default", "position", "x", "y", "label", "timeoutMs", "retry",
		"maxAttempts", "initialMs", "factor", "maxMs", "disabled", "body", "connections", "fromNodeId", "fromPort", "toNodeId",
		"toPort", "groups", "nodeIds", "color", "notes", "text", "size", "w", "h",
	}
	for _, name := range names {
		at := strings.Index(greet, `"`+name+`":`)
		require.GreaterOrEqual(t, at, 0, name)
		v := member(t, greet[at:])
		text := greet[:at] + v + "," + greet[at:]
		_, err := decode(text)
		var e *value.SyntaxError
		require.ErrorAs(t, err, &e, text)
		require.Equal(t, "the name stands twice in its object", e.Reason, name)
		require.EqualValues(t, at+len(v)+1, e.Offset, name)
		require.True(t, strings.HasSuffix(e.Pointer, "/"+name), e.Pointer)
	}
}

// member returns the first member of text: the shortest start of it that is one.
func member(t *testing.T, text string) string {
	for i := range text {
		if _, err := value.Decode([]byte("{" + text[:i] + "}")); err == nil && i > 0 && strings.ContainsAny(text[i:i+1], ",}") {
			return text[:i]
		}
	}
	t.Fatalf("no member in %q", text)
	return ""
}

// TestDecodeNulls puts null in the place of each value; only config values take it.
func TestDecodeNulls(t *testing.T) {
	for at := 0; ; {
		next := strings.Index(greet[at:], `":`)
		if next < 0 {
			return
		}
		at += next + len(`":`)
		name := greet[strings.LastIndex(greet[:at-2], `"`)+1 : at-2]
		v := strings.TrimPrefix(member(t, `"":`+greet[at:]), `"":`)
		_, err := decode(greet[:at] + "null" + greet[at+len(v):])
		switch name {
		case "default", "template":
			require.NoError(t, err, name)
			continue
		}
		if name == "name" && strings.Contains(v, "who") { // in config
			require.NoError(t, err)
			continue
		}
		var e *value.SyntaxError
		require.ErrorAs(t, err, &e, name)
		require.Contains(t, e.Reason, "got null", name)
		require.EqualValues(t, at, e.Offset, name)
	}
}
