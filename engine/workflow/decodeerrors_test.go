package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestDecodeErrors(t *testing.T) {
	const open = `{"id":"a","connections":[],"nodes":[`
	node := func(fields string) string { return open + `{"id":"n","type":"t",` + fields + `}]}` }
	wire := func(via string) string {
		return `{"id":"a","nodes":[],"connections":[{"fromNodeId":"n","fromPort":"o","toNodeId":"n","toPort":"i","via":` + via + `}]`
	}
	at := len(node("")) - len(`}]}`) // where the fields begin

	for _, c := range []struct {
		text    string
		offset  int
		pointer string
		reason  string
	}{
		{``, 0, "", "the text is empty"},
		{`null`, 0, "", "expected an object, got null"},
		{`[]`, 0, "", "expected an object, got a list"},
		{`{}`, 1, "", `the field "nodes" is missing`},
		{`{"nodes":[]}`, 11, "", `the field "connections" is missing`},
		{`{"nodes":[],"connections":[]}`, 28, "", `the field "id" is missing`},
		{`{"id":1}`, 6, "/id", "expected a string, got a number"},
		{`{"nodes":{}}`, 9, "/nodes", "expected a list, got an object"},
		{`{"version":2}`, 1, "/version", "unknown field; known are nodes, connections, id, name, description, groups, notes"},
		{`{"ID":"a"}`, 1, "/ID", "unknown field"},
		{open + `]}{}`, len(open) + 2, "", "expected the end of the text, got an object"},
		{open + `{}]}`, len(open) + 1, "/nodes/0", `the field "id" is missing`},
		{open + `{"id":"n"}]}`, len(open) + 9, "/nodes/0", `the field "type" is missing`},
		{open + `"n"]}`, len(open), "/nodes/0", "expected an object, got a string"},
		{node(`"x":1`), at, "/nodes/0/x", "unknown field; known are id, type, label, config, position, size, timeoutMs, retry, disabled, body"},
		{node(`"config":[]`), at + 9, "/nodes/0/config", "expected an object, got a list"},
		{node(`"config":{"a":1,"a":1}`), at + 16, "/nodes/0/config/a", "the name stands twice"},
		{node(`"config":{"a":{"b":[{"c":1,"c":1}]}}`), at + 27, "/nodes/0/config/a/b/0/c", "the name stands twice"},
		{node(`"config":{"a":1e999}`), at + 14, "/nodes/0/config/a", "the number is out of range"},
		{node("\"config\":{\"a\":\"\xff\"}"), at + 15, "/nodes/0/config/a", "invalid UTF-8"},
		{node("\"label\":\"\xff\""), at + 9, "/nodes/0/label", "invalid UTF-8"},
		{node(`"label":"\udc00"`), at + 9, "/nodes/0/label", "invalid surrogate pair"},
		{node(`"timeoutMs":0`), at + 12, "/nodes/0/timeoutMs", "expected a whole number from 1 to 2678400000"},
		{node(`"timeoutMs":-1`), at + 12, "/nodes/0/timeoutMs", "expected a whole number"},
		{node(`"timeoutMs":2678400001`), at + 12, "/nodes/0/timeoutMs", "expected a whole number"},
		{node(`"timeoutMs":1.5`), at + 12, "/nodes/0/timeoutMs", "expected a whole number"},
		{node(`"timeoutMs":1e3`), at + 12, "/nodes/0/timeoutMs", "without fraction and exponent"},
		{node(`"timeoutMs":9223372036854775808`), at + 12, "/nodes/0/timeoutMs", "expected a whole number"},
		{node(`"timeoutMs":1e99999999999`), at + 12, "/nodes/0/timeoutMs", "expected a whole number"},
		{node(`"timeoutMs":"5"`), at + 12, "/nodes/0/timeoutMs", "expected a whole number, got a string"},
		{node(`"disabled":0`), at + 11, "/nodes/0/disabled", "expected true or false, got a number"},
		{node(`"retry":{"maxAttempts":101}`), at + 23, "/nodes/0/retry/maxAttempts", "from 1 to 100"},
		{node(`"retry":{"initialMs":0}`), at + 21, "/nodes/0/retry/initialMs", "from 1 to 86400000"},
		{node(`"retry":{"factor":0.5}`), at + 18, "/nodes/0/retry/factor", "expected a number from 1 to 100"},
		{node(`"retry":{"maxMs":86400001}`), at + 17, "/nodes/0/retry/maxMs", "from 1 to 86400000"},
		{node(`"retry":3`), at + 8, "/nodes/0/retry", "expected an object, got a number"},
		{node(`"size":{"w":1}`), at + 13, "/nodes/0/size", `the field "h" is missing`},
		{node(`"size":{"w":-1,"h":1}`), at + 12, "/nodes/0/size/w", "expected a number from 0 to 1e+09"},
		{node(`"size":null`), at + 7, "/nodes/0/size", "expected an object, got null"},
		{wire(`null`), len(wire(``)) - 2, "/connections/0/via", "expected a list, got null"},
		{wire(`[[1,2]]`), len(wire(``)) - 1, "/connections/0/via/0", "expected an object, got a list"},
		{wire(`[{"x":1,"y":2,"z":3}]`), len(wire(``)) + 12, "/connections/0/via/0/z", "unknown field; known are x, y"},
		{wire(`[` + strings.Repeat(`{"x":1,"y":2},`, 256) + `{"x":1,"y":2}]`), len(wire(``)) + 11 + 256*14, "/connections/0/via/256", "a wire has at most 256 points"},
		{node(`"position":{"x":1}`), at + 17, "/nodes/0/position", `the field "y" is missing`},
		{node(`"position":{"x":1,"y":1e10}`), at + 22, "/nodes/0/position/y", "expected a number from -1e+09 to 1e+09"},
		{node(`"body":{"nodes":[]}`), at + 18, "/nodes/0/body", `the field "connections" is missing`},
		{`{"connections":[{"fromNodeId":"a","fromPort":"b","toNodeId":"c"}]}`, 63, "/connections/0", `the field "toPort" is missing`},
		{`{"connections":[{"fromNodeId":null}]}`, 30, "/connections/0/fromNodeId", "expected a string, got null"},
		{`{"groups":[{"label":"x"}]}`, 23, "/groups/0", `the field "id" is missing`},
		{`{"groups":[{"nodeIds":[1]}]}`, 23, "/groups/0/nodeIds/0", "expected a string, got a number"},
		{`{"notes":[{"text":"x"}]}`, 21, "/notes/0", `the field "id" is missing`},
		{`{"notes":[{"size":{"w":-1}}]}`, 23, "/notes/0/size/w", "expected a number from 0 to 1e+09"},
		{strings.Repeat("[", 100_000), 0, "", "expected an object, got a list"},
		{node(`"config":{"a":` + strings.Repeat("[", 100_000)), at + 14 + 996, "/nodes/0/config/a" + strings.Repeat("/0", 247), "nested deeper than 1000"},
		{node(`"config":` + strings.Repeat(`{"a":`, 100_000)), at + 9 + 5*997, "/nodes/0/config" + strings.Repeat("/a", 248), "nested deeper than 1000"},
		{strings.Repeat(`{"nodes":[{"body":`, 100_000), 64*18 + 11, strings.Repeat("/nodes/0/body", 39), "bodies are nested deeper than 64"},
	} {
		_, err := decode(c.text)
		var e *value.SyntaxError
		require.ErrorAs(t, err, &e, "%.200s", c.text)
		require.Contains(t, e.Reason, c.reason, "%.200s", c.text)
		require.EqualValues(t, c.offset, e.Offset, "%.200s: %v", c.text, err)
		require.Equal(t, c.pointer, e.Pointer, "%.200s", c.text)
	}
}
