package code_test

import (
	"context"
	"flag"
	"maps"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/code"
	"github.com/svcflow/svc/nodes/nodetest"
)

type record = map[string]any

const javascript = "code.javascript"

// TestMain also lets the test binary be the child process that runs scripts.
func TestMain(m *testing.M) {
	if code.Wanted(os.Args[1:]) {
		os.Exit(code.Work(os.Stdin, os.Stdout))
	}
	flag.Bool("update", false, "write the golden files anew")
	os.Exit(m.Run())
}

func child() *exec.Cmd { return exec.Command(os.Args[0], code.Word) }

func host(tb testing.TB) *nodetest.Host {
	tb.Helper()
	p := code.New(child)
	tb.Cleanup(func() { require.NoError(tb, p.Close()) })
	return nodetest.New(tb, p)
}

func script(text string, more record) record {
	config := record{"code": text}
	maps.Copy(config, more)
	return config
}

func TestSpecs(t *testing.T) { nodetest.Check(t, code.New(nil)) }

func TestRandom(t *testing.T) {
	p := code.New(child)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	nodetest.Quick(t, p, map[string][]map[string]any{
		javascript: {
			{"code": "return [a, b]", "inputs": []any{"a", "b"}, "mode": "once", "outputs": []any{"result"}, "memoryMB": 64, "flavour": "svc"},
			{"code": "return item", "inputs": []any{"a", "b"}, "mode": "each", "outputs": []any{"result"}, "memoryMB": 64, "flavour": "svc"},
			{"code": "return items", "inputs": []any{"a"}, "outputs": []any{"result"}, "mode": "once", "memoryMB": 64, "flavour": "n8n"},
		},
	})
}

func TestScripts(t *testing.T) {
	h := host(t)
	const id = 1<<53 + 3
	for name, tt := range map[string]struct {
		config, wired, want record
	}{
		"nothing comes in":  {script("return 6 * 7", nil), nil, record{"result": 42}},
		"nothing comes out": {script("let a = 1", nil), nil, record{"result": nil}},
		"inputs by name": {
			script("return a.x + b.length", record{"inputs": []any{"a", "b"}}), record{"a": record{"x": 1}, "b": []any{1, 2}}, record{"result": 3},
		},
		"an input that is not wired": {script("return typeof a + a?.b", record{"inputs": []any{"a"}}), nil, record{"result": "undefinedundefined"}},
		"null is no undefined":       {script("return a === null", record{"inputs": []any{"a"}}), record{"a": nil}, record{"result": true}},
		"several outputs":            {script("return {x: 1, z: undefined, more: 3}", record{"outputs": []any{"x", "y", "z"}}), nil, record{"x": 1}},
		"each": {
			script("return item * 2 + index + n", record{"inputs": []any{"list", "n"}, "mode": "each"}),
			record{"list": []any{1, 2, 3}, "n": 100},
			record{"result": []any{102, 105, 108}},
		},
		"each of none":   {script("return 1", record{"inputs": []any{"list"}, "mode": "each"}), record{"list": []any{}}, record{"result": []any{}}},
		"each, a hole":   {script("if (item > 1) return item", record{"inputs": []any{"l"}, "mode": "each"}), record{"l": []any{1, 2}}, record{"result": []any{nil, 2}}},
		"each, columns":  {script("return {a: item, b: -item}", record{"inputs": []any{"l"}, "outputs": []any{"a", "b"}, "mode": "each"}), record{"l": []any{1, 2}}, record{"a": []any{1, 2}, "b": []any{-1, -2}}},
		"each, awaiting": {script("return await Promise.resolve(item + 1)", record{"inputs": []any{"l"}, "mode": "each"}), record{"l": []any{1, 2}}, record{"result": []any{2, 3}}},
		"await":          {script("const v = await Promise.all([1, Promise.resolve(2)]); return v", nil), nil, record{"result": []any{1, 2}}},
		"a promise":      {script("return Promise.resolve(7).then(v => v + 1)", nil), nil, record{"result": 8}},
		"ids stay exact": {script("return [a, a.id + 1n]", record{"inputs": []any{"a"}}), record{"a": record{"id": id, "n": 1.5}}, record{"result": []any{record{"id": id, "n": 1.5}, id + 1}}},
		"map, set, date": {script("return [new Map([['a', 1]]), new Set([1, 2]), new Date(0)]", nil), nil, record{"result": []any{record{"a": 1}, []any{1, 2}, "1970-01-01T00:00:00.000Z"}}},
		"text":           {script("return a + '\\ud83d\\ude00\\u0000'", record{"inputs": []any{"a"}}), record{"a": "ä\u2028"}, record{"result": "ä\u2028😀\x00"}},
		"half a sign":    {script("return '\\ud83d'", nil), nil, record{"result": "\ufffd"}},
		"modern":         {script("return [3, 1, 2].toSorted().at(-1) + [1, 2].findLast(x => x < 2) + Object.groupBy([1, 2], x => x % 2 ? 'odd' : 'even').odd[0]", nil), nil, record{"result": 5}},
		"from later":     {script("return await Array.fromAsync((async function* () { yield 1; yield 2 })(), async x => x * 2)", nil), nil, record{"result": []any{2, 4}}},
		"no numbers":     {script("return [NaN, Infinity]", nil), nil, record{"result": []any{nil, nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := h.Exec(javascript, tt.config, tt.wired)
			require.NoError(t, err)
			require.Equal(t, []any{}, out["logs"])
			delete(out, "logs")
			require.Equal(t, tt.want, out)
		})
	}
}

func TestLogs(t *testing.T) {
	h := host(t)
	out, err := h.Exec(javascript, script("console.log('a', 1, {b: [2]}, new Error('x')); console.warn(undefined); return 1", nil), nil)
	require.NoError(t, err)
	require.Equal(t, []any{`a 1 {"b":[2]} Error: x`, "undefined"}, out["logs"])
	out, err = h.Exec(javascript, script("for (let i = 0; i < 1e5; i++) console.log(i)", nil), nil)
	require.NoError(t, err)
	require.Len(t, out["logs"], 1001)
	require.Contains(t, out["logs"].([]any)[1000], "more")
	out, err = h.Exec(javascript, script("console.log('x'.repeat(1e7)); console.log('y')", nil), nil)
	require.NoError(t, err)
	require.Len(t, out["logs"], 1)
}

// The clock is set to the time of the call and does not advance.
func TestClock(t *testing.T) {
	h := host(t)
	before := time.Now().UnixMilli()
	out, err := h.Exec(javascript, script(`
		const a = Date.now(), b = new Date(); for (let i = 0; i < 1e5; i++);
		return [a, b.getTime(), +new Date(), Date.now(), b instanceof Date, new b.constructor().getTime(), new Date(2026, 0, 31, 1).toISOString(), typeof Date(), new Date(5).getTime()]`, nil), nil)
	require.NoError(t, err)
	list := out["result"].([]any)
	now := list[0].(int)
	require.GreaterOrEqual(t, int64(now), before)
	require.Less(t, int64(now), before+60_000)
	require.Equal(t, []any{now, now, now, now, true, now, "2026-01-31T01:00:00.000Z", "string", 5}, list)
}

func TestFailures(t *testing.T) {
	h := host(t)
	for _, tt := range []struct {
		config, wired record
		code, says    string
	}{
		{script("let a = 1\n  a.b.c()", nil), nil, "script_error", "TypeError: cannot read property 'c' of undefined, in line 2, column 6: a.b.c()"},
		{script("let a = 1\nlet b = ;", nil), nil, "script_error", "SyntaxError: unexpected token in expression: ';', in line 2, column 9: let b = ;"},
		{script("return {", nil), nil, "script_error", "SyntaxError"},
		{script("throw new RangeError('no \\n good')", nil), nil, "script_error", "RangeError: no \n good, in line 1"},
		{script("throw {message: 'own', name: 'Mine'}", nil), nil, "script_error", "Mine: own"},
		{script("throw 'text'", nil), nil, "script_error", "text"},
		{script("throw null", nil), nil, "script_error", "null"},
		{script("await 1\nawait Promise.reject(new Error('late'))", nil), nil, "script_error", "Error: late, in line 2"},
		{script("await new Promise(() => {})", nil), nil, "script_error", "never comes"},
		{script("console.log('was here')\nx()", nil), nil, "script_error", "'x' is not defined, in line 2, column 1: x(); name it in inputs if it is to come in; its last log: was here"},
		{script("require('fs')", nil), nil, "script_error", "scripts have no modules"},
		{script("return fetch('https://example.com')", nil), nil, "script_error", "io.http_request"},
		{script("await import('os')", nil), nil, "script_error", "import"},
		{script("return $input.all()", nil), nil, "script_error", "flavour = n8n"},
		{script("if (item === 2) throw new Error('two'); return 1", record{"inputs": []any{"l"}, "mode": "each"}), record{"l": []any{1, 2}}, "script_error", "item 1: Error: two, in line 1"},
		{script("await 1; item.x.y", record{"inputs": []any{"l"}, "mode": "each"}), record{"l": []any{1, 2}}, "script_error", "item 0: TypeError"},
		{script("return item", record{"inputs": []any{"l"}, "mode": "each"}), record{"l": "text"}, node.CodeTypeError, "each needs a list"},
		{script("return 0 / 0", nil), nil, node.CodeNotFinite, "infinite or none"},
		{script("return 1", record{"outputs": []any{"a", "b"}}), nil, node.CodeTypeError, "returns a record"},
		{script("const a = {}; a.a = a; return a", nil), nil, "script_error", "circular"},
		{script("let a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", nil), nil, node.CodeLimitExceeded, "more than 64 MB"},
		{script("let a = []; try { for (;;) a.push(new ArrayBuffer(1e6)) } catch {} return 'caught'.repeat(1e8)", nil), nil, node.CodeLimitExceeded, "raise memoryMB"},
		{script("return 1", record{"inputs": []any{"a"}, "memoryMB": 8}), record{"a": string(make([]byte, 3<<20))}, node.CodeLimitExceeded, "8 MB"},
		{script("function f() { f() } f()", nil), nil, "script_error", "stack overflow"},
	} {
		t.Run(tt.says, func(t *testing.T) {
			_, err := h.Exec(javascript, tt.config, tt.wired)
			if underRace && node.CodeOf(err) == "script_ended" {
				require.ErrorContains(t, err, "ThreadSanitizer failed to allocate")
				return // the process was killed before the script ended
			}
			require.ErrorContains(t, err, tt.says)
			require.Equal(t, tt.code, node.CodeOf(err), err)
			require.True(t, node.IsPermanent(err))
		})
	}
}

func TestBadConfig(t *testing.T) {
	h := host(t)
	for _, tt := range []struct {
		config record
		port   string
	}{
		{script("", record{"inputs": []any{"1a"}}), "inputs"},
		{script("", record{"inputs": []any{"class"}}), "inputs"},
		{script("", record{"inputs": []any{"code"}}), "inputs"},
		{script("", record{"inputs": []any{"a", "a"}}), "inputs"},
		{script("", record{"inputs": []any{"l", "item"}, "mode": "each"}), "inputs"},
		{script("", record{"mode": "each"}), "inputs"},
		{script("", record{"outputs": []any{}}), "outputs"},
		{script("", record{"outputs": []any{"x", "logs"}}), "outputs"},
		{script("", record{"memoryMB": 7}), "memoryMB"},
		{script(string(make([]byte, 300<<10)), nil), "code"},
	} {
		problems := h.Problems(javascript, tt.config)
		require.Len(t, problems, 1, "%v", tt.config["inputs"])
		require.Equal(t, tt.port, problems[0].Port)
	}
}

// Without a child process nothing runs, and validation reports it.
func TestNotAllowed(t *testing.T) {
	_, err := nodetest.New(t, code.New(nil)).Exec(javascript, script("return 1", nil), nil)
	require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	require.ErrorContains(t, err, "--code")
	registry, err := node.NewRegistry(code.New(nil))
	require.NoError(t, err)
	n, _ := registry.Lookup(javascript)
	require.Contains(t, n.Spec.Unavailable, "--code")
}

// A script that exceeds its context is stopped, and the next one runs.
func TestTimeout(t *testing.T) {
	h := host(t)
	for _, text := range []string{
		"for (;;);", "for (;;) await 1", "const f = () => Promise.resolve().then(f); await f()",
		"/(a+)+$/.test('a'.repeat(40) + 'b')", "try { for (;;); } catch {} finally { for (;;); }", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		began := time.Now()
		_, err := h.ExecContext(ctx, javascript, script(text, nil), nil)
		cancel()
		require.Error(t, err, text)
		require.Less(t, time.Since(began), time.Minute, text)
		out, err := h.Exec(javascript, script("return 1", nil), nil)
		require.NoError(t, err)
		require.Equal(t, 1, out["result"])
	}
}

// Scripts do not see the state of earlier scripts.
func TestScriptsAreApart(t *testing.T) {
	h := host(t)
	for range 10 {
		out, err := h.Exec(javascript, script("const had = [globalThis.left, [].left, typeof Array.prototype.map]; globalThis.left = 1; Object.prototype.left = 1; delete Array.prototype.map; return had", nil), nil)
		require.NoError(t, err)
		require.Equal(t, []any{nil, nil, "function"}, out["result"])
	}
}
