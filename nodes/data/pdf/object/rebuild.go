package object

import (
	"bytes"
	"strconv"
)

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
	if at+3 < len(f.data) && regular(f.data[at+3]) && (f.data[at+3] < '0' || f.data[at+3] > '9') && f.data[at+3] != '-' {
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
