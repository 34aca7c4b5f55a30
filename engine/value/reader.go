package value

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Reader reads one JSON text step by step, for documents that contain values. It is as
// strict as [Decode], and each of its errors is a [*SyntaxError]. A Reader must not be used
// after an error. It is not safe for concurrent use.
type Reader struct {
	dec     *jsontext.Decoder
	src     bytes.Buffer
	data    []byte
	lenient bool
	mangled bool // the text contains invalid UTF-8
	depth   int
	width   int // of the last token, in bytes
	weight  int // approximate memory of the values read so far, in bytes
	most    int // limit of weight

	recent [128]string // recent names and texts, so that equal ones share memory
	plain  []byte      // scratch for strings with escapes
	copied []byte      // scratch for a text that was given as a string
	slab   strings.Builder
	items  []any       // scratch for lists
	names  [4][]string // names of the last record on each of the outer levels
}

// slabBytes is the size of a slab in which short texts are stored together, so that each
// need not be allocated separately. A text that is kept for long keeps its slab.
const slabBytes = 512

// maxScratch is the largest scratch buffer that is pooled, in bytes: enough for a text of a
// hundred kilobytes, which is common on servers.
const maxScratch = 256 << 10

//nolint:gochecknoglobals // a pool outlives its users by nature; it saves each text a decoder with its stacks
var readers = sync.Pool{New: func() any { return &Reader{dec: new(jsontext.Decoder)} }}

// MaxRead is the maximum memory of the values in a text that [Read] reads, in bytes. A text
// of ten megabytes can become half a gigabyte of small records.
const MaxRead = 160 << 20

// Read calls read with a Reader of data. read must consume exactly one JSON value and must
// not keep the Reader; anything after that value is an error. If the values would take more
// memory than [MaxRead], the error wraps [ErrTooBig].
func Read(data []byte, read func(*Reader) error) error { return readWith(data, false, MaxRead, read) }

func readWith(data []byte, lenient bool, most int, read func(*Reader) error) error {
	r := readers.Get().(*Reader)
	defer r.release()
	r.begin(data, lenient, most)
	return r.read(read)
}

// begin prepares r for a text.
func (r *Reader) begin(data []byte, lenient bool, most int) {
	r.data, r.lenient, r.most = data, lenient, most
	r.mangled = lenient && !utf8.Valid(data)
}

func (r *Reader) read(read func(*Reader) error) error {
	r.src = *bytes.NewBuffer(r.data)
	// Building records finds duplicate keys at no cost, so the decoder need not check.
	r.dec.Reset(&r.src, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(r.lenient))
	if err := read(r); err != nil {
		return err
	}
	if r.dec.PeekKind() != jsontext.KindInvalid {
		return r.unexpected("the end of the text")
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return r.syntaxError(err)
	}
	return nil
}

// release returns r to the pool, without the user's data.
func (r *Reader) release() {
	for i := range r.names {
		clear(r.names[i])
		r.names[i] = r.names[i][:0]
	}
	*r = Reader{dec: r.dec, plain: r.plain[:0], copied: r.copied[:0], items: r.items, names: r.names}
	if cap(r.plain) > maxScratch {
		r.plain = nil
	}
	if cap(r.copied) > maxScratch {
		r.copied = nil
	}
	r.dec.Reset(&r.src)
	readers.Put(r)
}

// Value reads the next value.
func (r *Reader) Value() (any, error) {
	switch r.dec.PeekKind() {
	case jsontext.KindString:
		return r.string()
	case jsontext.KindNumber:
		return r.number()
	case jsontext.KindBeginObject:
		return r.record()
	case jsontext.KindBeginArray:
		return r.list()
	}
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	switch t.Kind() {
	case jsontext.KindTrue:
		return true, nil
	case jsontext.KindFalse:
		return false, nil
	}
	return nil, nil
}

func (r *Reader) string() (any, error) {
	raw, err := r.raw()
	if err != nil {
		return nil, err
	}
	return r.unquote(raw), nil
}

func (r *Reader) number() (any, error) {
	raw, err := r.raw()
	if err != nil {
		return nil, err
	}
	if n, ok := parseInt(raw); ok {
		return n, nil
	}
	return r.parseFloat(raw)
}

func (r *Reader) list() (any, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	list := []any{}
	var full [][]any // earlier full chunks of list
	for r.dec.PeekKind() != jsontext.KindEndArray {
		v, err := r.Value()
		if err != nil {
			return nil, err
		}
		if len(list) == cap(list) && len(list) >= chunk {
			if err := r.Weigh(slotBytes * len(list)); err != nil {
				return nil, err
			}
			full = append(full, list)
			list = make([]any, 0, min(2*len(list), 16*chunk))
		}
		list = append(list, v)
	}
	if err := r.Weigh(ListWeight(len(list))); err != nil {
		return nil, err
	}
	if full != nil {
		list = Concat(append(full, list)...)
	}
	return list, r.shut()
}

// chunk is the number of items from which a list is built from parts: growing it would
// leave several times its size as garbage.
const chunk = 4096

// Weigh counts memory that the caller uses for what it reads; see [MaxRead].
func (r *Reader) Weigh(bytes int) error {
	if r.weight += bytes; r.weight > r.most {
		err := r.errorAt(fmt.Sprintf("the values of the text take more than %d MiB of memory", r.most>>20))
		err.cause = ErrTooBig
		return err
	}
	return nil
}

func (r *Reader) record() (map[string]any, error) {
	if err := r.open(); err != nil {
		return nil, err
	}
	if err := r.Weigh(emptyBytes); err != nil {
		return nil, err
	}
	record, keys := map[string]any{}, 0
	for r.dec.PeekKind() != jsontext.KindEndObject {
		if keys%8 == 0 {
			if err := r.Weigh(groupBytes); err != nil {
				return nil, err
			}
		}
		key, err := r.name()
		if err != nil {
			return nil, err
		}
		if record[key], err = r.Value(); err != nil {
			return nil, err
		}
		keys++
	}
	if len(record) < keys && !r.lenient {
		return nil, r.duplicate()
	}
	return record, r.shut()
}

// duplicate returns the error for the first duplicate key. Everything before it has been
// read without errors.
func (r *Reader) duplicate() error {
	dec := jsontext.NewDecoder(bytes.NewReader(r.data))
	for {
		if _, err := dec.ReadToken(); err != nil {
			return r.syntaxError(err)
		}
	}
}

// open enters an object or array.
func (r *Reader) open() error {
	if _, err := r.token(); err != nil {
		return err
	}
	if r.depth++; r.depth > MaxDepth {
		return r.Errorf("lists and objects are nested deeper than %d", MaxDepth)
	}
	return nil
}

// shut leaves an object or array whose members have all been read.
func (r *Reader) shut() error {
	r.depth--
	_, err := r.token()
	return err
}

// token reads null, true, false or a delimiter.
func (r *Reader) token() (jsontext.Token, error) {
	t, err := r.dec.ReadToken()
	if err != nil {
		return t, r.syntaxError(err)
	}
	switch t.Kind() {
	case jsontext.KindNull, jsontext.KindTrue:
		r.width = 4
	case jsontext.KindFalse:
		r.width = 5
	default:
		r.width = 1
	}
	return t, nil
}

// raw reads a string or a number without decoding it.
func (r *Reader) raw() ([]byte, error) {
	raw, err := r.dec.ReadValue()
	if err != nil {
		return nil, r.syntaxError(err)
	}
	r.width = len(raw)
	return raw, nil
}

// name reads the name of a member.
func (r *Reader) name() (string, error) {
	raw, err := r.raw()
	if err != nil {
		return "", err
	}
	return r.intern(raw), nil
}

// intern is unquote for strings that are likely to repeat: it returns a recent string again
// if it is equal.
func (r *Reader) intern(raw []byte) string {
	if bytes.IndexByte(raw, '\\') >= 0 { // escaped strings can differ in spelling only
		return r.unquote(raw)
	}
	first, last := int(raw[1]), int(raw[max(1, len(raw)-2)])
	slot := &r.recent[(first+7*last+31*len(raw))%len(r.recent)]
	if *slot != string(raw[1:len(raw)-1]) {
		*slot = r.unquote(raw)
	}
	return *slot
}

// unquote returns the value of raw, a JSON string.
func (r *Reader) unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && !r.mangled {
		return r.text(raw[1 : len(raw)-1])
	}
	// The error only means that U+FFFD was inserted, which lenient allows.
	r.plain, _ = jsontext.AppendUnquote(r.plain[:0], raw)
	return r.text(r.plain)
}

// text returns b as a string. Short strings share a slab.
func (r *Reader) text(b []byte) string {
	if len(b) > slabBytes/8 {
		return Text(b)
	}
	if r.slab.Cap()-r.slab.Len() < len(b) {
		r.slab.Reset()
		r.slab.Grow(min(slabBytes, len(r.data)))
	}
	at := r.slab.Len()
	r.slab.Write(b)
	return r.slab.String()[at:]
}

// parseInt returns the value of raw, a JSON number, if it is an int.
func parseInt(raw []byte) (int, bool) {
	for _, c := range raw { // avoids the error that Atoi would allocate for every float
		if c == '.' || c|0x20 == 'e' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(string(raw))
	return n, err == nil && (n != 0 || raw[0] != '-')
}

func (r *Reader) parseFloat(raw []byte) (any, error) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return nil, r.Errorf("the number is out of range")
	}
	return f, nil
}
