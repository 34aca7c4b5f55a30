// What stands between a script and what called it: it hands inputs in and the result out, and is gone from
// sight before the script begins. All that it needs later it holds on to, for a script may change whatever it finds.
(() => {
  'use strict'
  const {stringify, parse, rawJSON} = JSON
  const {isArray} = Array, {keys, hasOwn, defineProperty, fromEntries} = Object, {isFinite, isInteger} = Number, {apply} = Reflect
  const TheDate = Date, TheFunction = Function, TheError = Error, TheBigInt = BigInt, TheString = String, ThePromise = Promise
  const AsyncFunction = (async () => {}).constructor
  const mostLines = 1000, mostText = 65536
  const logs = []
  let logged = 0, full = false, answer = ''

  // Integers beyond what a number holds come in and go out exactly, as BigInt; of a Map and a Set, what is in them goes out.
  const toJSON = (of, value) => defineProperty(of.prototype, 'toJSON', {value, writable: true, configurable: true})
  toJSON(TheBigInt, function () { return rawJSON(this.toString()) })
  toJSON(Map, function () { return fromEntries(this) })
  toJSON(Set, function () { return [...this] })
  const exact = (_, v, at) => typeof v === 'number' && isInteger(v) && !Number.isSafeInteger(v) && /^-?\d+$/.test(at.source) ? TheBigInt(at.source) : v

  const shown = v => {
    if (typeof v === 'string') return v
    if (v instanceof TheError) return TheString(v)
    try { return stringify(v) ?? TheString(v) } catch { return TheString(v) }
  }
  const log = (...args) => {
    if (full) return
    let line = args.map(shown).join(' ')
    logged += line.length + 1
    full = logs.length === mostLines || logged > mostText
    logs[logs.length] = full ? '… and more, which is left out' : line
  }
  globalThis.console = {log, info: log, warn: log, error: log, debug: log, trace: log}

  // The clock of the run stands still while a script goes on.
  const stopClock = now => {
    const Clock = new Proxy(TheDate, {
      construct: (of, args, as) => Reflect.construct(of, args.length ? args : [now], as === Clock ? of : as),
      apply: () => new TheDate(now).toString(),
    })
    TheDate.now = () => now
    TheDate.prototype.constructor = Clock
    globalThis.Date = Clock
  }

  const fail = (e, index) => {
    const at = index === undefined ? {} : {index}
    if (e instanceof TheError || (typeof e === 'object' && e !== null && typeof e.message === 'string')) {
      answer = '!' + stringify({...at, name: TheString(e.name ?? 'Error'), message: TheString(e.message), stack: TheString(e.stack ?? '')})
    } else {
      answer = '!' + stringify({...at, name: '', message: shown(e), stack: ''})
    }
  }
  const thenable = v => typeof v === 'object' && v !== null && typeof v.then === 'function'
  const done = v => {
    if (typeof v === 'number' && !isFinite(v)) { answer = '?'; return }
    answer = '=' + (stringify(v) ?? 'null')
  }
  const finish = (v, then) => {
    if (thenable(v)) { v.then(w => { try { then(w) } catch (e) { fail(e) } }, e => fail(e)) } else then(v)
  }

  const compile = (code, names) => /\bawait\b/.test(code) ? new AsyncFunction(...names, code) : new TheFunction(...names, code)

  const each = (f, list, args, results) => {
    const made = new Array(list.length), given = [undefined, undefined, ...args]
    let waits = false
    for (let i = 0; i < list.length; i++) {
      try {
        given[0] = list[i]
        given[1] = i
        const v = apply(f, undefined, given)
        if (thenable(v)) {
          waits = true
          made[i] = ThePromise.resolve(v).catch(e => { if (!answer) fail(e, i); throw e })
        } else made[i] = v
      } catch (e) {
        fail(e, i)
        return
      }
    }
    if (waits) ThePromise.all(made).then(all => { try { done(results(all)) } catch (e) { fail(e) } }, () => {})
    else done(results(made))
  }
  const nulls = made => made.map(v => v === undefined ? null : v)

  // flavours say how a script gets its inputs, and what becomes of what it returns.
  const flavours = {
    svc(spec, values) {
      const {code, names, mode} = spec
      if (mode === 'once') finish(compile(code, names)(...values), done)
      else each(compile(code, ['item', 'index', ...names]), values[0], values, nulls)
    },
    n8n(spec, values) {
      const {code, names, mode} = spec
      const record = v => typeof v === 'object' && v !== null && !isArray(v)
      const wrap = (v, i) => record(v) && record(v.json) ? v : {json: record(v) ? v : {value: v}, pairedItem: {item: i}}
      const wrapAll = v => (v === undefined || v === null ? [] : isArray(v) ? v : [v]).map(wrap)
      const unwrap = v => record(v) && record(v.json) ? v.json : v
      const lists = new Map(names.map((name, i) => [name, wrapAll(values[i])]))
      const known = name => TheString(name).replace(/[^A-Za-z0-9_]/g, '_')
      const source = (items, i) => ({
        all: () => items, first: () => items[0], last: () => items[items.length - 1], item: items[i] ?? items[0],
        itemMatching: n => items[n], isExecuted: true, params: {}, context: {},
      })
      let at = 0
      const other = name => {
        const items = lists.get(known(name))
        if (!items) throw new TheError(`there is no input for ${shown(name)}; name ${known(name)} in inputs, and wire it`)
        return source(items, at)
      }
      const items = lists.get(names[0]) ?? []
      const node = new Proxy({}, {get: (_, name) => { const s = other(name); return {...s, json: s.item?.json} }})
      const common = {$: other, $items: name => name === undefined ? items : other(name).all(), $node: node, $vars: {}, $env: {}, $runIndex: 0}
      if (globalThis.luxon) {
        const {DateTime, Duration, Interval, Settings} = globalThis.luxon
        Settings.defaultZone = 'utc'
        Object.assign(common, {DateTime, Duration, Interval, $now: DateTime.now(), $today: DateTime.now().startOf('day')})
      }
      const commonNames = keys(common), commonValues = Object.values(common)
      if (mode === 'once') {
        const f = compile(code, [...commonNames, 'items', '$input', '$json'])
        finish(f.call({}, ...commonValues, items, source(items, 0), items[0]?.json), v => done(wrapAll(v).map(unwrap)))
        return
      }
      const f = compile(code, [...commonNames, 'item', '$input', '$json', '$itemIndex', '$position'])
      const one = (item, i) => { at = i; return f.call({}, ...commonValues, item, source(items, i), item.json, i, i) }
      each(one, items, [], made => made.filter(v => v !== null && v !== undefined).map(v => unwrap(wrap(v))))
    },
  }

  return (what, text) => {
    if (what === 'answer') return answer
    if (what === 'logs') return stringify(logs)
    try {
      const spec = parse(what)
      stopClock(spec.now)
      const values = spec.exact ? parse(text, exact) : parse(text)
      for (const i of spec.absent) values[i] = undefined
      flavours[spec.flavour](spec, values)
    } catch (e) {
      fail(e)
    }
    return answer
  }
})()
