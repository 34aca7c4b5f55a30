package code_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
)

// attacks are scripts that want more than there is, with %d for a number that makes them
// larger and smaller.
func attacks() []string {
	return []string{
		// loops
		"for (;;);", "while (%d) ;", "for (let i = 0; ; i += %d) Math.sin(i)", "let s = ''; for (;;) s = s.length + '%d'",
		"for (;;) await %d", "const f = () => Promise.resolve(%d).then(f); return f()", "for (;;) { try { for (;;); } finally { continue } }",
		"label: for (;;) { for (;;) continue label }", "function* g() { for (;;) yield %d } for (const x of g());", "new Array(%d).fill(0).sort(() => { for (;;); })",
		"JSON.stringify({toJSON() { for (;;); }})", "return {get a() { for (;;); }}", "return {then(f) { for (;;); }}", "return {then() {}}", "new Proxy({}, {get() { for (;;); }}).x",
		"({[Symbol.toPrimitive]() { for (;;); }}) + %d", "Array.from({length: 1e9 + %d})", "Array.prototype.indexOf.call({length: 2 ** 53 - 1}, %d)", "[].concat.apply([], new Array(%d))",
		"'x'.repeat(%d).replace(/x/g, () => { for (;;); })", "BigInt(2) ** BigInt(%d)", "let b = 3n; for (;;) b = b * b", "(3n ** 1000000n).toString().length + %d",
		// regular expressions
		"/(a+)+$/.test('a'.repeat(%d) + 'b')", "/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(%d))", "/(x+x+)+y/.exec('x'.repeat(%d))", "/(.*)*\\1$/.test('a'.repeat(%d) + 'b')",
		"new RegExp('('.repeat(%d) + ')'.repeat(%d)).test('')", "new RegExp('a{0,%d}'.repeat(9) + 'b').test('a'.repeat(5000))", "new RegExp('(?:'.repeat(%d) + 'a' + '){1,2}'.repeat(%d))", "/(?:(?=(a+)))*b/.test('a'.repeat(%d))",
		// memory
		"let a = []; for (;;) a.push(new Array(%d))", "let s = 'x'; for (;;) s += s", "return 'x'.repeat(2 ** 29) + %d", "new Uint8Array(2 ** 31 + %d)", "let a = []; for (;;) a.push('' + Math.random() + %d)",
		"let o = {}; for (let i = 0; ; i++) o['k' + i + %d] = {}", "const m = new Map(); for (let i = 0; ; i++) m.set(i, [%d])", "return Array(1e6).fill('x'.repeat(1e3 + %d))", "let a = [%d]; for (;;) a = [...a, ...a]",
		"'x'.padEnd(2 ** 30 - %d)", "new ArrayBuffer(%d, {maxByteLength: 2 ** 40})", "for (;;) console.log('x'.repeat(%d))", "throw new Error('x'.repeat(2 ** 26 + %d))", "let f = []; for (;;) f.push(() => f[%d])",
		"let p = []; for (;;) p.push(new Promise(() => {})), p[%d]", "Symbol('x'.repeat(2 ** 28 + %d)).toString()", "let s = 'ab'; for (let i = 0; i < 40; i++) s = s.replace(/[ab]/g, 'ab%d'); return s", "structuredClone(%d)",
		// depth
		"function f(n) { return f(n + 1) + %d } f(0)", "const f = () => f(%d); f()", "const a = {toString() { return '' + a + %d }}; '' + a", "let a = []; for (let i = 0; i < %d * 100; i++) a = [a]; return a",
		"let a = []; for (let i = 0; i < %d * 100; i++) a = [a]; return '' + a", "let a = {}; for (let i = 0; i < %d * 100; i++) a = {a}; JSON.stringify(a)", "JSON.parse('['.repeat(%d * 100))", "eval('('.repeat(%d * 100))",
		"eval('['.repeat(%d * 10) + ']'.repeat(%d * 10))", "eval('a' + '.a'.repeat(%d * 100))", "eval('1' + '+1'.repeat(%d * 100))", "eval('!'.repeat(%d * 100) + 1)", "eval('x=>'.repeat(%d * 100) + 1)", "eval('{'.repeat(%d * 100))",
		"eval('`${'.repeat(%d * 10))", "eval('if(1)'.repeat(%d * 100) + ';')", "let a = []; a[0] = a; return a.flat(Infinity) + %d", "let p = {}; for (let i = 0; i < %d * 100; i++) p = new Proxy(p, {}); return p.x", "let f = () => 1; for (let i = 0; i < %d * 100; i++) f = f.bind(null); return f()",
		"let o = {}; for (let i = 0; i < %d * 100; i++) o = Object.create(o); return o.x", "class A { constructor() { return new A(%d) } } new A()", "const g = [function* () { yield* g[0]() }]; [...g[0]()]", "new Array(%d).reduce.call({length: 1e9}, (a, b) => a, 0)",
		"Reflect.construct(Function, Array(%d).fill('a'))", "Math.max(...Array(%d * 100).fill(1))", "String.fromCharCode.apply(null, Array(%d * 100).fill(65))", "setTimeout(() => {}, %d)",
		// games
		"Object.prototype.then = function (f) { f(%d) }; return {}", "Promise.prototype.then = () => %d; return Promise.resolve(1)", "Array.prototype[Symbol.iterator] = null; return [%d]", "JSON.stringify = JSON.parse = null; return {a: %d}",
		"Object.defineProperty(Object.prototype, '0', {set() { for (;;); }}); return [1, %d]", "delete globalThis.Array; delete globalThis.Object; return %d", "Error.prototype.toString = () => { throw %d }; throw new Error('x')", "throw {get message() { throw {get message() { for (;;); }} }}",
		"throw new Proxy(new Error('x'), {get() { throw %d }})", "return new Proxy([], {get: (t, k) => k === 'length' ? 2 ** 32 + %d : k})", "return {__proto__: null, ['__proto__']: %d}", "return JSON.parse('{\"__proto__\": {\"x\": %d}}')", "globalThis.answer = '='; arguments.callee.caller(%d)",
		"Symbol.prototype[Symbol.toPrimitive] = 1; return Symbol(%d)", "return () => %d", "return Object.freeze(globalThis), %d", "String.prototype.toJSON = function () { for (;;); }; return 'x%d'", "}); for (;;); (() => {", "*/ } /*", "return `${%d", "\u2028return %d",
	}
}

// Whatever a script wants, it ends within its time, the next one runs, and what runs it
// stays small. With SVC_TEST_HOSTILE there are 10,000 of them.
func TestHostileScripts(t *testing.T) {
	count, limit, slack := len(attacks()), 150*time.Millisecond, time.Minute
	if each := os.Getenv("SVC_TEST_HOSTILE"); each != "" {
		count, slack = 10_000, 200*time.Millisecond
	}
	h := host(t)
	codes := map[string]int{}
	late, worst := 0, time.Duration(0)
	for i := range count {
		all := attacks()
		text := strings.ReplaceAll(all[i%len(all)], "%d", fmt.Sprint(1000>>(i/len(all)%10)*(1+i/len(all)/10)+i/len(all)))
		mode := record{}
		if i/len(all)%3 == 2 {
			mode = record{"mode": "each", "inputs": []any{"l"}, "l": []any{1, 2}, "flavour": "n8n"}
		}
		began := time.Now()
		code := once(t, h, limit, script(text, mode))
		over := time.Since(began) - limit
		codes[code]++
		worst = max(worst, over)
		if over > slack {
			late++
			t.Logf("%v over its time: %.200s", over, text)
		}
	}
	require.Zero(t, late)
	out, err := h.Exec(javascript, script("return 1", nil), nil)
	require.NoError(t, err)
	require.Equal(t, 1, out["result"])
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	require.Less(t, memory.Sys, uint64(1<<30), "the process that asks stays small")
	t.Logf("%d scripts: %v; the worst %v over its time; %d MB", count, codes, worst, memory.Sys>>20)
}

// once runs a script and returns how it ended.
func once(t *testing.T, h *nodetest.Host, limit time.Duration, config record) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_, err := h.ExecContext(ctx, javascript, config, nil)
	switch {
	case err == nil:
		return "ok"
	case ctx.Err() != nil:
		return node.CodeTimeout
	}
	require.Contains(t, []string{"script_error", "script_ended", node.CodeLimitExceeded, node.CodeNotFinite, node.CodeTypeError}, node.CodeOf(err), "%v: %v", config, err)
	return node.CodeOf(err)
}

// The ways out of the engines of other products lead nowhere here: all that a script finds
// belongs to the language.
func TestNothingOfTheHostIsSeen(t *testing.T) {
	t.Setenv("SVC_CANARY", "canary-of-the-host")
	h := host(t)
	for _, text := range []string{
		"return this.constructor.constructor('return process')().env",
		"return Function('return this')().process",
		"return (async () => {}).constructor('return typeof process + typeof require + typeof Deno + typeof Bun')()",
		"return (function* () {}).constructor('return globalThis.std')().next().value",
		"return globalThis.os?.getenv('SVC_CANARY')", "return [typeof std, typeof os, typeof scriptArgs, typeof print, typeof load, typeof bjson, typeof Worker, typeof gc].join()",
		"Error.prepareStackTrace = (_, frames) => frames; const s = new Error().stack; return typeof s === 'string' ? s : s.map(f => '' + f.getThis())",
		"try { null.f() } catch (e) { return e.constructor.constructor('return process.mainModule.require(\"fs\")')() }",
		"return (await import('std')).getenv('SVC_CANARY')", "return import.meta", "return await import('/etc/passwd')", "return eval('import(\"file:///etc/passwd\")')",
		"return Object.getOwnPropertyNames(globalThis).filter(n => /^[a-z_$]/.test(n)).join()",
		"return new Function('return arguments.callee.caller')()", "return Reflect.ownKeys(console.log).map(k => String(console.log[k]))", "return console.log.toString() + console.log.constructor('return this')()",
		"return new Error('x').stack", "return Intl", "return typeof WebAssembly + typeof fetch + typeof XMLHttpRequest + typeof setTimeout",
		"return performance.timeOrigin", "const p = Promise.resolve(); p.constructor = function (f) { f(x => x, x => x) }; return typeof await p",
	} {
		out, err := h.Exec(javascript, script(text, nil), nil)
		shown := fmt.Sprint(out, err)
		for _, word := range []string{"canary", "root:", "/home", os.Args[0], "GOMAXPROCS", "PATH", ".go:"} {
			require.NotContains(t, shown, word, text)
		}
	}
	out, err := h.Exec(javascript, script("return Object.getOwnPropertyNames(globalThis).filter(n => /^[a-z_$]/.test(n)).sort().join()", nil), nil)
	require.NoError(t, err)
	require.Equal(t, "console,decodeURI,decodeURIComponent,encodeURI,encodeURIComponent,escape,eval,globalThis,isFinite,isNaN,parseFloat,parseInt,undefined,unescape", out["result"])
}

// BenchmarkCall is a small script in a child that is there already.
func BenchmarkCall(b *testing.B) {
	h := host(b)
	for b.Loop() {
		if _, err := h.Exec(javascript, script("return a.price * 2", record{"inputs": []any{"a"}}), record{"a": record{"price": 2}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEach is a script for each of 1,000 items.
func BenchmarkEach(b *testing.B) {
	items := make([]any, 1000)
	for i := range items {
		items[i] = record{"id": i, "name": fmt.Sprint("name ", i), "price": float64(i) * 1.5}
	}
	h := host(b)
	for b.Loop() {
		if _, err := h.Exec(javascript, script("return {...item, total: item.price * 1.19}", record{"inputs": []any{"l"}, "mode": "each"}), record{"l": items}); err != nil {
			b.Fatal(err)
		}
	}
}
