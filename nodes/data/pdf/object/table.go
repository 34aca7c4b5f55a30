package object

import "bytes"

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
