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

// Reader reads one JSON text piece by piece, for documents that have values in
// them. It is as strict as [Decode], and each of its errors is a [*SyntaxError].
// After an error a Reader is of no more use. It is not safe for concurrent use.
type Reader struct {
	dec     *jsontext.Decoder
	src     bytes.Buffer
	data    []byte
	lenient bool
	mangled bool // the text holds what is not UTF-8
	depth   int
	width   int // of the token read last, in bytes
	weight  int // about how many bytes of memory the values take that were read
	most    int // that weight may be

	recent [128]string // names and texts seen lately, so that equal ones share memory
	plain  []byte      // scratch for strings with escapes
	copied []byte      // scratch for a text that came as a string
	slab   strings.Builder
	items  []any       // scratch for lists
	names  [4][]string // of the last record of each of the outer levels
}

// slabBytes is how much short texts are put together in, so that each needs no memory of its
// own. One that is kept for long keeps so much at most.
const slabBytes = 512

// maxScratch is how much scratch memory is worth keeping, in bytes: as much as a text of a
// hundred kilobytes takes, of which servers get many.
const maxScratch = 256 << 10

//nolint:gochecknoglobals // a pool outlives its users by nature; it saves each text a decoder with its stacks
var readers = sync.Pool{New: func() any { return &Reader{dec: new(jsontext.Decoder)} }}

// MaxRead is how much memory the values in what [Read] reads may take, in bytes. Text of
// ten megabytes can make half a gigabyte of small records.
const MaxRead = 160 << 20

// Read calls read with a Reader of data. It has to consume exactly one JSON
// value and must not keep the Reader; what stands behind that value is an error. If its
// values would take more memory than [MaxRead], the error wraps [ErrTooBig].
func Read(data []byte, read func(*Reader) error) error { return readWith(data, false, MaxRead, read) }

func readWith(data []byte, lenient bool, most int, read func(*Reader) error) error {
	r := readers.Get().(*Reader)
	defer r.release()
	r.begin(data, lenient, most)
	return r.read(read)
}

// begin makes r ready for a text.
func (r *Reader) begin(data []byte, lenient bool, most int) {
	r.data, r.lenient, r.most = data, lenient, most
	r.mangled = lenient && !utf8.Valid(data)
}

func (r *Reader) read(read func(*Reader) error) error {
	r.src = *bytes.NewBuffer(r.data)
	// Whether keys are unique shows for free when records are built.
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

// release gives r back without anything that belongs to its user.
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
	var full [][]any // what came before list, where there is much
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

// chunk is from how many items on a list is put together of parts: to let it grow leaves
// behind several times what it takes.
const chunk = 4096

// Weigh counts memory that its user takes for what it reads; see [MaxRead].
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

// duplicate returns the error about the first key that stands twice. Everything
// before it is known to be in order.
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

// shut leaves an object or array of which all members have been read.
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

// raw reads a string or a number as it is spelt.
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

// intern is unquote for strings that are likely to repeat: it returns the same
// string again if it came up lately.
func (r *Reader) intern(raw []byte) string {
	if bytes.IndexByte(raw, '\\') >= 0 { // may be spelt like another string reads
		return r.unquote(raw)
	}
	first, last := int(raw[1]), int(raw[max(1, len(raw)-2)])
	slot := &r.recent[(first+7*last+31*len(raw))%len(r.recent)]
	if *slot != string(raw[1:len(raw)-1]) {
		*slot = r.unquote(raw)
	}
	return *slot
}

// unquote returns the string that raw, a JSON string, stands for.
func (r *Reader) unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && !r.mangled {
		return r.text(raw[1 : len(raw)-1])
	}
	// The error says that U+FFFD had to be put in, which lenient asks for.
	r.plain, _ = jsontext.AppendUnquote(r.plain[:0], raw)
	return r.text(r.plain)
}

// text returns b as a text, which lies beside others if it is short.
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

// parseInt returns the int that raw, a JSON number, stands for, if it is one.
func parseInt(raw []byte) (int, bool) {
	for _, c := range raw { // saves the error that Atoi would make for every float
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
