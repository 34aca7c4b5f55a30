package archive

import (
	"encoding/binary"
	"hash/crc32"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/reading"
)

// Entry is an entry of an archive.
type Entry struct {
	File *zip.File
	// Name is the name in UTF-8, with slashes. It may lead outside of the directory; see
	// [Entry.Refused].
	Name string
	Dir  bool
}

// Entries returns the entries of an archive in its order. A name is in UTF-8 if the entry or
// an extra field says so or if its bytes are, and in cp437 otherwise, unless the bytes of
// all names show another encoding, or label names one; see [charset.ByLabel]. Backslashes
// are slashes. What is guessed is noted.
func Entries(z *zip.Reader, label string, notes *reading.Notes) ([]Entry, error) {
	entries := make([]Entry, len(z.File))
	var undeclared []int
	var bytes []byte
	for i, f := range z.File {
		name, declared := declaredName(f, label != "" && label != charset.Auto)
		entries[i] = Entry{File: f, Name: name}
		if !declared {
			undeclared = append(undeclared, i)
			bytes = append(append(bytes, f.Name...), '\n')
		}
	}
	if len(undeclared) > 0 {
		e, err := nameEncoding(bytes, label, notes)
		if err != nil {
			return nil, err
		}
		for _, i := range undeclared {
			entries[i].Name, _ = e.Decode([]byte(z.File[i].Name))
		}
	}
	slashes := 0
	for i := range entries {
		e := &entries[i]
		if e.Name = strings.ToValidUTF8(e.Name, "\uFFFD"); strings.Contains(e.Name, `\`) {
			e.Name = strings.ReplaceAll(e.Name, `\`, "/")
			if slashes++; slashes == 1 {
				notes.Repaired(0, e.Name, "the name has backslashes; they are taken as slashes, here and in other names")
			}
		}
		e.Dir = strings.HasSuffix(e.Name, "/") || e.File.Mode().IsDir()
	}
	return entries, nil
}

// declaredName returns the name of an entry whose encoding is known: by an extra field of
// Info-ZIP, by the flag for UTF-8, or because it is valid UTF-8 and no label is given.
func declaredName(f *zip.File, labelled bool) (string, bool) {
	if name, ok := unicodePath(f); ok {
		return name, true
	}
	if utf8.ValidString(f.Name) && (f.Flags&utf8Name != 0 || !labelled) {
		return f.Name, true
	}
	return "", false
}

// nameEncoding returns the encoding of names that no entry declares.
func nameEncoding(names []byte, label string, notes *reading.Notes) (charset.Encoding, error) {
	if label != "" && label != charset.Auto {
		e, err := charset.ByLabel(label)
		if err != nil {
			return e, reading.Invalid("%w", err)
		}
		return e, nil
	}
	e := findEncoding(names)
	if e.String() != cp437().String() {
		notes.Repaired(0, "", "the archive does not say how its names are encoded; they are read as %s", e)
	}
	return e, nil
}

// unicodePath returns the name in the Info-ZIP Unicode path extra field (APPNOTE 4.6.9). It
// holds for the name that it was made for.
func unicodePath(f *zip.File) (string, bool) {
	for extra := f.Extra; len(extra) >= 4; {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; size > len(extra) {
			return "", false
		}
		field := extra[:size]
		extra = extra[size:]
		if id != 0x7075 || size < 6 || field[0] != 1 || binary.LittleEndian.Uint32(field[1:]) != crc32.ChecksumIEEE([]byte(f.Name)) {
			continue
		}
		if name := string(field[5:]); utf8.ValidString(name) {
			return name, true
		}
	}
	return "", false
}

func cp437() charset.Encoding { return mustLabel("cp437") }

func mustLabel(label string) charset.Encoding {
	e, err := charset.ByLabel(label)
	if err != nil {
		panic(err) // labels are constants
	}
	return e
}

// findEncoding returns the encoding of names that no entry declares. The specification says
// cp437, but programs take the code page of their system.
func findEncoding(names []byte) charset.Encoding {
	if e := mustLabel("shift_jis"); isEastAsian(e, names) {
		return e
	}
	text, _ := cp437().Decode(names)
	if plausible(text) {
		return cp437()
	}
	found := charset.Find(names)
	if text, replaced := found.Decode(names); replaced > 0 || !plausible(text) {
		return cp437()
	}
	return found
}

// isEastAsian reports whether names are text in the encoding e of East Asia: all is valid,
// and its characters, which are common ones, stand in words. In Western names letters beyond
// ASCII stand alone.
func isEastAsian(e charset.Encoding, names []byte) bool {
	text, replaced := e.Decode(names)
	if replaced > 0 {
		return false
	}
	letters, words, before := 0, 0, false
	for _, r := range text {
		wide := r >= 0x3000 && r <= 0x9fff || r >= 0xff01 && r <= 0xff5e
		if r >= 0x80 && !wide && (r < 0xff61 || r > 0xff9f) { // half-width katakana are letters of cp437, too
			return false
		}
		if wide {
			letters++
			if !before {
				words++
			}
		}
		before = r >= 0x80
	}
	return words > 0 && letters >= 2*words
}

// plausible reports whether text looks like names: it has letters, and neither lines of
// boxes nor the symbols of mathematics that cp437 has.
func plausible(text string) bool {
	latin, greek := false, false
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf || strings.ContainsRune("«»–—‘’“”„•…·€£¥§©®°ºª¿¡µ，。、（）【】《》－・ー～", r):
		case unicode.Is(unicode.Greek, r):
			greek = true
		case unicode.Is(unicode.Latin, r):
			latin = true
		case !unicode.IsLetter(r) && !unicode.IsMark(r):
			return false
		}
	}
	return !latin || !greek // cp437 has some Greek letters as symbols
}

// Refused says why an entry is not unpacked; "" if it may be.
func (e *Entry) Refused() string {
	clean := path.Clean(e.Name)
	switch {
	case e.Name == "" || strings.ContainsRune(e.Name, 0):
		return "its name is no path"
	case !filepath.IsLocal(filepath.FromSlash(clean)) || drive(e.Name):
		return "it would lie outside of the directory"
	case clean == ".":
		return "its name is no path"
	case !e.File.Mode().IsRegular():
		return "it is a link or a device; only files are unpacked"
	}
	return unreadable(e.File)
}

// drive reports whether a name begins with a drive of Windows, such as C:/.
func drive(name string) bool {
	return len(name) >= 3 && name[2] == '/' && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z'
}
