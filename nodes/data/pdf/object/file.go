package object

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

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

// readTables reads the cross-reference table that the file names last, and those before it.
func (f *File) readTables() bool {
	at := bytes.LastIndex(f.data, []byte("startxref"))
	if at < 0 {
		return false
	}
	l := &Lexer{data: f.data, pos: at + len("startxref")}
	offset, is := l.token().(int)
	seen := map[int]bool{}
	for is && !seen[offset] {
		seen[offset] = true
		trailer := f.section(f.base + offset)
		if trailer == nil {
			return false
		}
		if f.trailer == nil {
			f.trailer = trailer
		}
		if hybrid, has := trailer["XRefStm"].(int); has && !seen[hybrid] {
			seen[hybrid] = true
			f.section(f.base + hybrid)
		}
		if offset, is = trailer["Prev"].(int); !is {
			if f, isFloat := trailer["Prev"].(float64); isFloat {
				offset, is = int(f), true
			}
		}
	}
	return f.trailer != nil
}

// section reads one table and returns its trailer, or nil if there is none. Objects that are
// known already are newer.
func (f *File) section(offset int) Dict {
	if offset < 0 || offset >= len(f.data) {
		return nil
	}
	l := &Lexer{data: f.data, pos: offset, refs: true}
	l.skip()
	if bytes.HasPrefix(f.data[l.pos:], []byte("xref")) {
		l.pos += len("xref")
		return f.oldSection(l)
	}
	o, _, _ := f.indirect(l.pos)
	s, is := o.(*Stream)
	if !is || !f.streamSection(s) {
		return nil
	}
	return s.Dict
}

// oldSection reads a table of lines.
func (f *File) oldSection(l *Lexer) Dict {
	for {
		t := l.token()
		if t == Operator("trailer") {
			d, _ := l.object(0).(Dict)
			return d
		}
		first, is := t.(int)
		count, too := l.token().(int)
		if !is || !too {
			return nil
		}
		for i := range count {
			offset, isOffset := l.token().(int)
			gen, isGen := l.token().(int)
			word, isWord := l.token().(Operator)
			if !isOffset || !isGen || !isWord || word != "n" && word != "f" {
				return nil
			}
			if i == 0 && first == 1 && word == "f" && gen == 65535 {
				first = 0 // writers that begin to count at the wrong number
			}
			f.put(first+i, place{offset: offset, gen: gen, free: word == "f"})
		}
	}
}

// put adds an object to the table, unless a newer one is there.
func (f *File) put(num int, at place) {
	if _, known := f.table[num]; !known && num >= 0 {
		f.table[num] = at
	}
}

// streamSection reads a table that is a stream.
func (f *File) streamSection(s *Stream) bool {
	widths := f.Array(s.Dict["W"])
	if len(widths) < 3 {
		return false
	}
	w := [3]int{Int(widths[0]), Int(widths[1]), Int(widths[2])}
	row := w[0] + w[1] + w[2]
	if min(w[0], w[1], w[2]) < 0 || max(w[0], w[1], w[2]) > 8 || row == 0 {
		return false
	}
	data, err := f.Decode(s)
	if err != nil && len(data) == 0 {
		return false
	}
	ranges := f.Array(s.Dict["Index"])
	if ranges == nil {
		ranges = Array{0, Int(s.Dict["Size"])}
	}
	field := func(n int) (v int) {
		for _, b := range data[:n] {
			v = v<<8 | int(b)
		}
		data = data[n:]
		return v
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		for num := Int(ranges[i]); num < Int(ranges[i])+Int(ranges[i+1]) && len(data) >= row; num++ {
			kind := 1
			if w[0] > 0 {
				kind = field(w[0])
			}
			second, third := field(w[1]), field(w[2])
			switch kind {
			case 0:
				f.put(num, place{free: true})
			case 1:
				f.put(num, place{offset: second, gen: third})
			case 2:
				f.put(num, place{pack: second, index: third})
			}
		}
	}
	return true
}

// rebuild finds the objects by reading the whole file. Later ones replace earlier ones.
func (f *File) rebuild() {
	f.rebuilt = true
	f.base, f.table = 0, map[int]place{}
	clear(f.cache)
	clear(f.packs)
	old := f.trailer
	f.trailer = Dict{}
	var packs []int
	var catalogs []int
	for pos := 0; ; {
		at := bytes.Index(f.data[pos:], []byte("obj"))
		if at < 0 {
			break
		}
		at += pos
		pos = at + 3
		num, gen, offset, is := f.headBefore(at)
		if !is {
			continue
		}
		f.table[num] = place{offset: offset, gen: gen}
		switch f.kindAt(pos) {
		case "ObjStm":
			packs = append(packs, num)
		case "Catalog":
			catalogs = append(catalogs, num)
		case "XRef":
			if o, _, ok := f.indirect(offset); ok {
				if s, is := o.(*Stream); is {
					f.useTrailer(s.Dict)
				}
			}
		}
	}
	f.readTrailers()
	if f.trailer["Encrypt"] == nil && old["Encrypt"] != nil {
		f.trailer["Encrypt"], f.trailer["ID"] = old["Encrypt"], old["ID"]
	}
	if f.trailer["Encrypt"] != nil && f.crypt == nil {
		if f.openCrypt() != nil {
			packs = nil // they cannot be read; Open reports it
		}
	}
	f.indexPacks(packs, &catalogs)
	if f.root() == nil {
		for _, num := range catalogs {
			if d := f.Dict(Ref{Num: num}); d["Pages"] != nil {
				f.trailer["Root"] = Ref{Num: num}
			}
		}
	}
}

// headBefore reads "1 0 " before the word obj at an offset.
func (f *File) headBefore(at int) (num, gen, offset int, ok bool) {
	if at+3 < len(f.data) && regular(f.data[at+3]) && !(f.data[at+3] >= '0' && f.data[at+3] <= '9') && f.data[at+3] != '-' {
		return 0, 0, 0, false
	}
	i := at
	number := func() (int, bool) {
		for i > 0 && white(f.data[i-1]) && at-i < 64 {
			i--
		}
		last := i
		for i > 0 && f.data[i-1] >= '0' && f.data[i-1] <= '9' && last-i < 10 {
			i--
		}
		n, err := strconv.Atoi(string(f.data[i:last]))
		return n, err == nil
	}
	if gen, ok = number(); !ok || i == 0 || !white(f.data[i-1]) {
		return 0, 0, 0, false
	}
	num, ok = number()
	return num, gen, i, ok && num < 1<<31
}

// kindAt returns the type of the dictionary at an offset, without reading all of it.
func (f *File) kindAt(pos int) Name {
	l := &Lexer{data: f.data[:min(len(f.data), pos+1<<10)], pos: pos, refs: true}
	l.skip()
	if !bytes.HasPrefix(l.data[l.pos:], []byte("<<")) {
		return ""
	}
	head := l.data[l.pos:]
	if at := bytes.Index(head, []byte("endobj")); at >= 0 {
		head = head[:at]
	}
	for _, kind := range []Name{"ObjStm", "Catalog", "XRef"} {
		if bytes.Contains(head, []byte("/"+kind)) {
			d, _ := l.object(0).(Dict)
			name, _ := d["Type"].(Name)
			return name
		}
	}
	return ""
}

// readTrailers reads all trailers; a later one wins.
func (f *File) readTrailers() {
	for pos := 0; ; {
		at := bytes.Index(f.data[pos:], []byte("trailer"))
		if at < 0 {
			return
		}
		pos += at + len("trailer")
		l := &Lexer{data: f.data, pos: pos, refs: true}
		if d, is := l.object(0).(Dict); is {
			f.useTrailer(d)
		}
	}
}

func (f *File) useTrailer(d Dict) {
	for _, name := range []Name{"Root", "Info", "Encrypt", "ID"} {
		if d[name] != nil {
			f.trailer[name] = d[name]
		}
	}
}

// indexPacks adds the objects of object streams to a table that is rebuilt.
func (f *File) indexPacks(packs []int, catalogs *[]int) {
	for _, num := range packs {
		p := f.readPack(num)
		f.packs[num] = p
		for i, number := range p.numbers {
			if at, known := f.table[number]; known && at.pack == 0 && at.offset > f.table[num].offset {
				continue // a later change
			}
			f.table[number] = place{pack: num, index: i}
			if d, is := f.load(Ref{Num: number}).(Dict); is && d["Type"] == Name("Catalog") {
				*catalogs = append(*catalogs, number)
			}
		}
	}
}
