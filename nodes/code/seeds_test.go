package code_test

// seeds are scripts that use excessive resources or try to escape. %d is a number that
// scales them. [attacks] generates variants.
func seeds() []string {
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
		// overwritten built-ins
		"Object.prototype.then = function (f) { f(%d) }; return {}", "Promise.prototype.then = () => %d; return Promise.resolve(1)", "Array.prototype[Symbol.iterator] = null; return [%d]", "JSON.stringify = JSON.parse = null; return {a: %d}",
		"Object.defineProperty(Object.prototype, '0', {set() { for (;;); }}); return [1, %d]", "delete globalThis.Array; delete globalThis.Object; return %d", "Error.prototype.toString = () => { throw %d }; throw new Error('x')", "throw {get message() { throw {get message() { for (;;); }} }}",
		"throw new Proxy(new Error('x'), {get() { throw %d }})", "return new Proxy([], {get: (t, k) => k === 'length' ? 2 ** 32 + %d : k})", "return {__proto__: null, ['__proto__']: %d}", "return JSON.parse('{\"__proto__\": {\"x\": %d}}')", "globalThis.answer = '='; arguments.callee.caller(%d)",
		"Symbol.prototype[Symbol.toPrimitive] = 1; return Symbol(%d)", "return () => %d", "return Object.freeze(globalThis), %d", "String.prototype.toJSON = function () { for (;;); }; return 'x%d'", "}); for (;;); (() => {", "*/ } /*", "return `${%d", "\u2028return %d",
		"Object.defineProperty(Array.prototype, 'length', {get() { for (;;); }}); return [%d]", "Function.prototype.call = Function.prototype.apply = Reflect.apply = () => { for (;;); }; return %d",
		"Array.prototype.map = Array.prototype.push = String.prototype.replace = RegExp.prototype.test = () => { for (;;); }; return %d", "globalThis.Error = Promise = Object = null; throw %d",
		"Object.prototype.toJSON = () => { for (;;); }; return {a: %d}", "Object.setPrototypeOf(Object.prototype, new Proxy(Object.create(null), {get() { for (;;); }}))", "Date.now = Date.prototype.getTime = () => { for (;;); }; return new Date(%d)",
		"let o = {}; for (let i = 0; i < %d; i++) Object.defineProperty(o, 'k' + i, {get() { return o }, enumerable: true}); return o", "return new Proxy({}, {ownKeys: () => Array.from({length: %d}, (_, i) => 'k' + i), getOwnPropertyDescriptor: () => ({enumerable: true, configurable: true, value: 1})})",
		// waiting, and promises that never settle
		"Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, %d)", "const a = new Int32Array(new SharedArrayBuffer(8)); for (;;) Atomics.wait(a, 0, 0, %d)", "await new Promise(() => {}); return %d", "return Promise.race([])",
		"async function* g() { for (;;) yield %d } for await (const x of g());", "const p = new Promise((f, r) => r(%d)); return 1", "await {then(f) { f(this) }}", "let p = Promise.resolve(); for (let i = 0; i < %d * 1000; i++) p = p.then(() => i); await p",
		"for (let i = 0; i < %d * 1000; i++) Promise.reject(i); return 1", "let f; const p = new Promise(x => f = x); f(p); return p", "const g = (function* () { try { for (;;) yield %d } finally { for (;;); } })(); g.next(); g.return()",
		// garbage collection
		"const r = new FinalizationRegistry(() => { for (;;); }); for (let i = 0; ; i++) r.register({}, i)", "for (;;) new WeakRef({a: %d})", "const m = new WeakMap(); let k = {}; for (;;) { const n = {}; m.set(k, n); k = n }", "for (;;) { const a = {}; a.a = a; a.b = new Array(%d) }",
		"const w = new WeakSet(); for (;;) w.add({})", "let l = null; for (;;) l = {l}",
		// large numbers and texts
		"(10n ** BigInt(%d * 1000)).toString()", "return BigInt('9'.repeat(%d * 1000))", "return (1n << BigInt(%d * 1e6)) % 7n", "return BigInt.asUintN(2 ** 53 - 1, -1n)", "return (0.1).toFixed(100) + (1e21 + %d).toLocaleString()", "return 'ä'.repeat(%d * 1e4).normalize('NFKD')",
		"return encodeURIComponent('\\ud83d\\ude00'.repeat(%d * 1e4))", "return 'x'.repeat(%d * 1e4).split('').join('y').split('y').map(x => x + x)", "return JSON.stringify('\\u0000'.repeat(%d * 1e4))", "return escape('ä'.repeat(%d * 1e4))", "return 'a'.localeCompare('b'.repeat(%d * 1e5))",
		"return new Float64Array(%d * 1e5).map((_, i) => i)", "return Array.from(new Uint8Array(%d * 1e4))", "new DataView(new ArrayBuffer(8)).setInt8(2 ** 53, %d)", "return Array(2 ** 32 - 1).join('x')", "const a = []; a[2 ** 32 - 2] = %d; return a", "const a = []; a.length = 2 ** 32 - 1; return a.map(x => x)",
		"return [].splice.call({length: 2 ** 53 - 1}, 0, 2 ** 53 - 1)", "return Object.entries(new Array(%d * 1e4).fill(0))", "return structuredClone?.(new Array(%d))", "return String.raw({raw: {length: 2 ** 31}}, 1)", "return 'x'.padStart(2 ** 28).trim()",
		"const s = '(' + 'a|'.repeat(%d * 10) + 'a)*b'; return new RegExp(s).test('a'.repeat(1e4))", "return /(?<=(a+)+)b/.test('a'.repeat(%d))", "return /(\\w+\\s?)*$/.test('word '.repeat(%d) + '!')", "return 'a'.repeat(%d * 100).match(/a*?a*?a*?a*?b/)", "return new RegExp('[' + '\\u{10000}-\\u{10ffff}'.repeat(%d) + ']', 'v').test('x')",
		"return new RegExp('(?<n>a)'.repeat(%d))", "const r = /a*/g; for (;;) r.exec('b')", "return 'x'.repeat(%d * 1000).replaceAll(/(?:)/g, 'yy')", "return new RegExp('a{2147483647}{2147483647}').test('a')",
	}
}

// escapes are known sandbox escapes of other engines.
func escapes() []string {
	return []string{
		"return this.constructor.constructor('return process')().env", "return Function('return this')().process", "return (async () => {}).constructor('return typeof process + typeof require + typeof Deno + typeof Bun')()",
		"return (function* () {}).constructor('return globalThis.std')().next().value", "return globalThis.os?.getenv('SVC_CANARY')", "return [typeof std, typeof os, typeof scriptArgs, typeof print, typeof load, typeof bjson, typeof Worker, typeof gc].join()",
		"Error.prepareStackTrace = (_, frames) => frames; const s = new Error().stack; return typeof s === 'string' ? s : s.map(f => '' + f.getThis())",
		"try { null.f() } catch (e) { return e.constructor.constructor('return process.mainModule.require(\"fs\")')() }", "return (await import('std')).getenv('SVC_CANARY')", "return import.meta", "return await import('/etc/passwd')", "return eval('import(\"file:///etc/passwd\")')",
		"return Object.getOwnPropertyNames(globalThis).filter(n => /^[a-z_$]/.test(n)).join()", "return new Function('return arguments.callee.caller')()", "return Reflect.ownKeys(console.log).map(k => String(console.log[k]))", "return console.log.toString() + console.log.constructor('return this')()",
		"return new Error('x').stack", "return Intl", "return typeof WebAssembly + typeof fetch + typeof XMLHttpRequest + typeof setTimeout", "return performance.timeOrigin", "const p = Promise.resolve(); p.constructor = function (f) { f(x => x, x => x) }; return typeof await p",
		"return require('child_process').execSync('env').toString()", "return process.binding('fs')", "return process.mainModule.constructor._load('fs').readFileSync('/etc/passwd', 'utf8')", "return globalThis.constructor.constructor('return this')().std.loadFile('/etc/passwd')",
		"return std.popen('env', 'r').readAsString()", "return os.readdir('/').join()", "return os.exec(['env'])", "return new os.Worker('/etc/passwd')", "return std.evalScript('std.getenviron()')", "return std.urlGet('file:///etc/passwd')", "return await import('qjs:std')", "return await import('node:fs')",
		"return await import('data:text/javascript,export default 1')", "const {proxy} = Proxy.revocable({}, {}); return proxy.constructor.constructor('return process.env')()", "return Reflect.construct(Function, ['return process.env'])()", "return [].constructor.constructor('return globalThis.process?.env.SVC_CANARY')()",
		"return Object.getPrototypeOf(async function* () {}).constructor('yield process.env')().next()", "function f() { return f.caller } return '' + f()", "return '' + (() => { try { (function f() { f() })() } catch (e) { return e.stack + Object.getOwnPropertyNames(e) } })()",
		"const e = new Error(); e.name = {toString: () => { throw process.env }}; throw e", "Object.defineProperty(Object.prototype, 'env', {get() { return this }}); return JSON.stringify(globalThis.env)", "return '' + Error.captureStackTrace", "const o = {}; Error.captureStackTrace(o); return o.stack",
		"return [...Array(99)].map((_, i) => { try { return eval('%' + i) } catch (e) { return '' + e.stack } }).join()", "return new Date().getTimezoneOffset() + new Date().toString()", "return new Intl.DateTimeFormat().resolvedOptions().timeZone",
		"const a = Date.now(); for (let i = 0; i < 1e5; i++); if (new Date() - a || Date.now() - a || new (Object.getPrototypeOf(new Date()).constructor)() - a || Reflect.construct(Date, []) - a) throw 'the clock goes on'",
		"const D = (class extends Date {}), a = +new D(); for (let i = 0; i < 1e5; i++); if (new D() - a) throw 'the clock goes on'", "const D = new Date(0).constructor, a = +D.call(null, 1) || +new D(); for (let i = 0; i < 1e5; i++); if (+new D() !== Date.now()) throw 'the clock goes on'",
		"return require", "return module.constructor", "return process", "return global.process", "return window", "return Deno.env", "return Bun.env", "return Java.type('java.lang.System').getenv()", "return __dirname + __filename", "return $vars, $env", "return Object.keys($env ?? {}).map(k => $env[k])",
	}
}

// wraps are pieces of code into which scripts are inserted at %s.
func wraps() []string {
	return []string{
		"%s", "%s", "return (() => { %s })()", "return Promise.resolve().then(() => { %s })", "return new Promise(() => { %s })", "return new Promise((_, no) => no((() => { %s })()))", "return {toJSON() { %s }}", "return {get a() { %s }}", "return {then() { %s }}",
		"return new Proxy({}, {ownKeys() { %s }})", "return new Proxy(function () {}, {get() { %s }})", "return [...(function* () { %s })()]", "return {[Symbol.iterator]() { %s }, ...[1]}", "try { throw 1 } catch { %s } finally { for (;;); }", "for (;;) { try { %s } catch {} }",
		"return [2, 1].sort(() => { %s })", "return 'aa'.replace(/a/g, () => { %s })", "return `${{toString() { %s }}}`", "return +{[Symbol.toPrimitive]() { %s }}", "class A { constructor() { %s } } return new A()", "class A { static a = (() => { %s })() }", "console.log({toJSON() { %s }})",
		"throw {get message() { %s }}", "throw {message: 'm', get stack() { %s }}", "const e = new Error('m'); Object.defineProperty(e, 'message', {get() { %s }}); throw e", "Error.prepareStackTrace = () => { %s }; return new Error().stack", "return JSON.parse('[1]', () => { %s })", "return JSON.stringify([1], () => { %s })",
		"return Array.from({length: 2}, () => { %s })", "with ({get x() { %s }}) x", "Object.prototype.then = () => { %s }; return {}", "Array.prototype.toJSON = () => { %s }; return [1]", "(function f() { try { f() } catch { %s } })()", "return 'x'.match({[Symbol.match]() { %s }})",
		"function a() { a.n = (a.n ?? 0) + 1; if (a.n < 50) return a(); %s } return a()", "return Reflect.apply(function () { %s }, null, [])", "return new Function(%q)()", "return (0, eval)('(function () {' + %q + '})()')", "%s; for (;;);", "label: { %s }",
	}
}
