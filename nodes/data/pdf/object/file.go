package object

import (
	"bytes"
	"errors"
	"slices"

	"github.com/svcflow/svc/nodes/reading"
)

// File is a PDF file in memory. It is not safe for concurrent use.
type File struct {
	Notes *reading.Notes

	data    []byte
	base    int // what offsets count from: the header may have bytes before it
	table   map[int]place
	trailer Dict
	crypt   *crypt
	cache   map[int]any
	packs   map[int]*pack
	loading map[int]bool // objects that are being read, to detect cycles
	rebuilt bool
}

// place is where an object is: at an offset of the file, or in an object stream.
type place struct {
	offset int
	gen    int
	pack   int // number of the object stream; 0 for none
	index  int // in the object stream
	free   bool
}

// pack is an unpacked object stream.
type pack struct {
	data    []byte
	numbers []int
	offsets []int
}

// ErrNoPDF means that the data has nothing of a PDF file.
var ErrNoPDF = errors.New("it is no PDF file: it has no objects of one")

// headSize is where other readers look for the header.
const headSize = 1024

// Open reads the tables of a file. What is repaired is noted in notes.
func Open(data []byte, notes *reading.Notes) (*File, error) {
	f := &File{Notes: notes, data: data, cache: map[int]any{}, packs: map[int]*pack{}, loading: map[int]bool{}}
	header := bytes.Index(data[:min(len(data), headSize)], []byte("%PDF-"))
	if !f.openTables(max(0, header)) {
		f.rebuild()
		if f.root() == nil && len(f.table) == 0 {
			return nil, ErrNoPDF
		}
		notes.Repaired(0, "", "the cross-reference table is missing or wrong; the objects were found by reading the whole file")
	}
	if err := f.openCrypt(); err != nil {
		return nil, err
	}
	return f, nil
}

// openTables reads the cross-reference tables. Offsets count from the header or, if writers
// did not care, from the start of the file.
func (f *File) openTables(header int) bool {
	for _, base := range slices.Compact([]int{header, 0}) {
		f.base, f.table, f.trailer = base, map[int]place{}, nil
		clear(f.cache)
		clear(f.packs)
		if f.readTables() && f.root() != nil {
			return true
		}
	}
	return false
}

// root returns the catalog, if it has pages.
func (f *File) root() Dict {
	d, _ := f.Resolve(f.trailer["Root"]).(Dict)
	if _, is := f.Resolve(d["Pages"]).(Dict); !is {
		return nil
	}
	return d
}

// Trailer returns the dictionary that refers to the catalog and the document's properties.
func (f *File) Trailer() Dict { return f.trailer }

// Resolve follows references. An object that is missing or cannot be read is nil.
func (f *File) Resolve(o any) any {
	for range maxDepth {
		ref, is := o.(Ref)
		if !is {
			return o
		}
		o = f.load(ref)
	}
	return nil
}

// Dict returns the dictionary that o is, refers to, or has as a stream.
func (f *File) Dict(o any) Dict {
	switch o := f.Resolve(o).(type) {
	case Dict:
		return o
	case *Stream:
		return o.Dict
	}
	return nil
}

// Array returns the array that o is or refers to.
func (f *File) Array(o any) Array {
	a, _ := f.Resolve(o).(Array)
	return a
}

// Name returns the name that o is or refers to.
func (f *File) Name(o any) Name {
	n, _ := f.Resolve(o).(Name)
	return n
}

func (f *File) load(ref Ref) any {
	if o, known := f.cache[ref.Num]; known {
		return o
	}
	at, known := f.table[ref.Num]
	if !known || at.free || f.loading[ref.Num] {
		return nil
	}
	f.loading[ref.Num] = true
	defer delete(f.loading, ref.Num)
	o, ok := f.loadAt(ref.Num, at)
	if !ok && f.trailer != nil && !f.rebuilt && f.table[ref.Num] == at {
		f.Notes.Repaired(0, "", "the cross-reference table is wrong; the objects were found by reading the whole file")
		f.rebuild()
		if at, known = f.table[ref.Num]; known {
			o, _ = f.loadAt(ref.Num, at)
		}
	}
	f.cache[ref.Num] = o
	return o
}

func (f *File) loadAt(num int, at place) (any, bool) {
	if at.pack > 0 {
		return f.unpacked(num, at)
	}
	o, found, ok := f.indirect(f.base + at.offset)
	if !ok || found.Num != num {
		return nil, false
	}
	if f.crypt != nil {
		o = f.crypt.decrypted(o, found)
	}
	return o, true
}

// indirect reads the object at an offset: "1 0 obj … endobj".
func (f *File) indirect(offset int) (o any, at Ref, ok bool) {
	if offset < 0 || offset >= len(f.data) {
		return nil, at, false
	}
	l := &Lexer{data: f.data, pos: offset, refs: true}
	num, isNum := l.token().(int)
	gen, isGen := l.token().(int)
	if word, is := l.token().(Operator); !isNum || !isGen || !is || len(word) < 3 || word[:3] != "obj" {
		return nil, at, false
	} else if len(word) > 3 { // "obj" and a value without white space between
		l.pos -= len(word) - 3
	}
	at = Ref{num, gen}
	o = l.object(0)
	if op, is := o.(Operator); is {
		o, _ = constant(op)
		return o, at, true
	}
	if _, ended := o.(end); ended {
		return nil, at, true
	}
	if d, is := o.(Dict); is {
		before := l.pos
		if l.token() == Operator("stream") {
			return &Stream{Dict: d, raw: f.streamData(l.pos, d)}, at, true
		}
		l.pos = before
	}
	return o, at, true
}

// streamData returns the raw data of a stream after the word stream. A length that is
// wrong is replaced by what is before the word endstream.
func (f *File) streamData(pos int, d Dict) []byte {
	for pos < len(f.data) && (f.data[pos] == ' ' || f.data[pos] == '\t') {
		pos++
	}
	if pos < len(f.data) && f.data[pos] == '\r' {
		pos++
	}
	if pos < len(f.data) && f.data[pos] == '\n' {
		pos++
	}
	if pos >= len(f.data) {
		return nil
	}
	if n := f.Resolve(d["Length"]); IsNumber(n) && Int(n) >= 0 && Int(n) <= len(f.data)-pos {
		l := &Lexer{data: f.data, pos: pos + Int(n)}
		l.skip()
		if bytes.HasPrefix(f.data[l.pos:], []byte("endstream")) || bytes.HasPrefix(f.data[l.pos:], []byte("endobj")) {
			return f.data[pos : pos+Int(n)]
		}
	}
	last := len(f.data)
	for _, word := range []string{"endstream", "endobj"} {
		if at := bytes.Index(f.data[pos:], []byte(word)); at >= 0 {
			last = pos + at
			break
		}
	}
	if last > pos && f.data[last-1] == '\n' {
		last--
	}
	if last > pos && f.data[last-1] == '\r' {
		last--
	}
	return f.data[pos:last]
}

// unpacked reads an object of an object stream.
func (f *File) unpacked(num int, at place) (any, bool) {
	p := f.packs[at.pack]
	if p == nil {
		p = f.readPack(at.pack)
		f.packs[at.pack] = p
	}
	i := at.index
	if i < 0 || i >= len(p.numbers) || p.numbers[i] != num {
		if i = slices.Index(p.numbers, num); i < 0 {
			return nil, false
		}
	}
	if p.offsets[i] < 0 || p.offsets[i] > len(p.data) {
		return nil, false
	}
	l := &Lexer{data: p.data, pos: p.offsets[i], refs: true}
	o := l.object(0)
	if op, is := o.(Operator); is {
		o, _ = constant(op)
	} else if _, ended := o.(end); ended {
		o = nil
	}
	return o, true
}

// maxPacks is how many bytes of unpacked object streams are kept. Those that are forgotten
// are unpacked again.
const maxPacks = 48 << 20

func (f *File) readPack(num int) *pack {
	s, _ := f.load(Ref{Num: num}).(*Stream)
	p := &pack{}
	if s == nil {
		return p
	}
	kept := 0
	for _, other := range f.packs {
		kept += len(other.data)
	}
	if kept > maxPacks {
		clear(f.packs)
	}
	data, _ := f.Decode(s)
	first, count := Int(f.Resolve(s.Dict["First"])), Int(f.Resolve(s.Dict["N"]))
	l := &Lexer{data: data}
	for range min(count, len(data)) {
		number, is := l.token().(int)
		offset, too := l.token().(int)
		if !is || !too {
			break
		}
		p.numbers, p.offsets = append(p.numbers, number), append(p.offsets, first+offset)
	}
	p.data = data
	return p
}
