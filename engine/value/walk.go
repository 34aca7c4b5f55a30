package value

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// walk decodes a JSON text that is known to be valid, so that it only has to find tokens;
// this takes a third of the time of a [Reader]. For errors that it finds (more levels than
// [MaxDepth], duplicate names, numbers out of range), it leaves the text to the Reader,
// which has the messages.
type walk struct {
	*Reader

	boxes     boxes
	at, depth int
	items     []any // items of unfinished lists, outer lists first
}

// maxItems is the largest items buffer that is kept.
const maxItems = 1024

// walked returns the value of the text, or false if a [Reader] must read it.
func (r *Reader) walked() (any, bool) {
	valid := jsontext.Value(r.data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(r.lenient))
	if !valid {
		return nil, false
	}
	w := walk{Reader: r, items: r.items[:0]}
	v, ok := w.value()
	clear(w.items[:cap(w.items)])
	if cap(w.items) <= maxItems {
		r.items = w.items[:0]
	}
	return v, ok
}

func (w *walk) value() (any, bool) {
	switch w.next() {
	case '"':
		return w.boxes.text(w.unquoted()), true
	case '{':
		return w.record()
	case '[':
		return w.list()
	case 't':
		w.at += len("true")
		return true, true
	case 'f':
		w.at += len("false")
		return false, true
	case 'n':
		w.at += len("null")
		return nil, true
	}
	return w.number()
}

// next skips white space and returns the next byte.
func (w *walk) next() byte {
	for {
		switch c := w.data[w.at]; c {
		case ' ', '\t', '\r', '\n':
			w.at++
		default:
			return c
		}
	}
}

// raw returns the string at this position, including quotes. plain means that it has no
// escapes and is valid.
func (w *walk) raw() (text []byte, plain bool) {
	from := w.data[w.at:]
	n := 1 + bytes.IndexByte(from[1:], '"') + 1
	if plain = bytes.IndexByte(from[1:n], '\\') < 0; !plain {
		n = stringLength(from)
	}
	w.at += n
	return from[:n], plain && !w.mangled
}

func (w *walk) unquoted() string {
	raw, plain := w.raw()
	if plain {
		return w.text(raw[1 : len(raw)-1])
	}
	return w.unquote(raw)
}

func (w *walk) number() (any, bool) {
	from := w.at
	for w.at < len(w.data) && inNumber(w.data[w.at]) {
		w.at++
	}
	raw := w.data[from:w.at]
	if n, ok := parseInt(raw); ok {
		return w.boxes.int(n), true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return w.boxes.float(f), err == nil
}

func inNumber(c byte) bool {
	return '0' <= c && c <= '9' || c == '.' || c == '-' || c == '+' || c|0x20 == 'e'
}

func (w *walk) list() (any, bool) {
	if w.enter() == ']' {
		return []any{}, w.leave()
	}
	from := len(w.items)
	var full [][]any // earlier full chunks of items
	for {
		v, ok := w.value()
		if !ok {
			return nil, false
		}
		if len(w.items)-from == chunk {
			full = append(full, Concat(w.items[from:]))
			w.items = w.items[:from]
		}
		w.items = append(w.items, v)
		if w.next() == ']' {
			break
		}
		w.at++
	}
	list := Concat(append(full, w.items[from:])...)
	w.items = w.items[:from]
	return list, w.leave()
}

func (w *walk) record() (any, bool) {
	record, keys := map[string]any{}, 0
	if w.enter() == '}' {
		return record, w.leave()
	}
	for ; ; keys++ {
		w.next()
		name := w.name(keys)
		w.next()
		w.at++
		v, ok := w.value()
		if !ok {
			return nil, false
		}
		record[name] = v
		if w.next() == '}' {
			break
		}
		w.at++
	}
	if len(record) <= keys && !w.lenient {
		return nil, false
	}
	return record, w.leave()
}

// name reads the name of member i of a record. It tries the name in the previous record of
// the same level first, because records are often alike.
func (w *walk) name(i int) string {
	if w.depth > len(w.names) {
		raw, _ := w.raw()
		return w.intern(raw)
	}
	names := &w.names[w.depth-1]
	if i < len(*names) {
		name := (*names)[i]
		if end := w.at + 1 + len(name); end < len(w.data) && w.data[end] == '"' && string(w.data[w.at+1:end]) == name {
			w.at = end + 1
			return name
		}
	}
	raw, plain := w.raw()
	name := w.intern(raw)
	if *names = append((*names)[:min(i, len(*names))], name); !plain {
		(*names)[len(*names)-1] = unlike
	}
	return name
}

// unlike differs from the spelling of every name in a text.
const unlike = "\x00"

// enter enters a list or record and returns the first byte in it.
func (w *walk) enter() byte {
	w.at++
	w.depth++
	return w.next()
}

// leave leaves a list or record after its last member. It returns false if that was nested
// too deeply.
func (w *walk) leave() bool {
	w.at++
	w.depth--
	return w.depth < MaxDepth
}
