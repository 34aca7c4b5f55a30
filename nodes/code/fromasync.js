// Array.fromAsync, which the engine does not have, as ECMAScript 2026 defines it.
(() => {
  'use strict'
  const TheArray = Array, TheObject = Object, TheProxy = Proxy, TheTypeError = TypeError
  const {asyncIterator, iterator} = Symbol, {defineProperty} = Object, {apply} = Reflect, {min, max, trunc} = Math
  const mostItems = Number.MAX_SAFE_INTEGER

  const method = (of, name) => {
    const f = of[name] ?? undefined
    if (f !== undefined && typeof f !== 'function') throw new TheTypeError('not a function')
    return f
  }
  // A proxy constructs if what it stands for does; nothing of that is called.
  const constructs = f => {
    try { return typeof f === 'function' && typeof new (new TheProxy(f, {__proto__: null, construct: () => ({})}))() === 'object' } catch { return false }
  }
  const put = (into, at, value) => {
    defineProperty(into, at, {__proto__: null, value, writable: true, enumerable: true, configurable: true})
  }

  const make = async (Of, items, mapper, self) => {
    if (mapper !== undefined && typeof mapper !== 'function') throw new TheTypeError('not a function')
    const later = method(items, asyncIterator), now = later ? undefined : method(items, iterator)
    let made, n = 0
    if (later || now) {
      made = constructs(Of) ? new Of() : []
      for await (const item of {__proto__: null, [later ? asyncIterator : iterator]: () => apply(later ?? now, items, [])}) {
        put(made, n, mapper ? await apply(mapper, self, [item, n]) : item)
        n++
      }
    } else {
      const list = TheObject(items), length = min(max(trunc(+list.length) || 0, 0), mostItems)
      made = constructs(Of) ? new Of(length) : new TheArray(length)
      for (; n < length; n++) {
        const item = await list[n]
        put(made, n, mapper ? await apply(mapper, self, [item, n]) : item)
      }
    }
    made.length = n
    return made
  }
  const {fromAsync} = {fromAsync(items, mapper = undefined, self = undefined) { return make(this, items, mapper, self) }}
  defineProperty(Array, 'fromAsync', {value: fromAsync, writable: true, configurable: true})
})();
