package font

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
	"sync"
)

//go:embed tables/glyphs.txt
var glyphText string

//go:embed tables/dingbats.txt
var dingbatText string

//go:embed tables/encodings.txt
var encodingText string

//go:embed tables/widths.txt
var widthText string

//go:embed tables/cffstrings.txt
var cffText string

//go:embed tables/Japan1.gz
var japan1 []byte

//go:embed tables/GB1.gz
var gb1 []byte

//go:embed tables/CNS1.gz
var cns1 []byte

//go:embed tables/Korea1.gz
var korea1 []byte

// glyphs are the characters by name of glyph, and dingbats those of Zapf Dingbats.
var (
	glyphs   = sync.OnceValue(func() map[string]rune { return readGlyphs(glyphText) })   //nolint:gochecknoglobals // a constant table
	dingbats = sync.OnceValue(func() map[string]rune { return readGlyphs(dingbatText) }) //nolint:gochecknoglobals // a constant table
)

func readGlyphs(text string) map[string]rune {
	all := make(map[string]rune, 5000)
	for line := range strings.Lines(text) {
		name, code, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseUint(code, 16, 32)
		if err != nil {
			panic(err) // the table is constant
		}
		all[name] = rune(n)
	}
	return all
}

// encodings are the standard encodings by name: the name of the glyph of each code.
var encodings = sync.OnceValue(func() map[string]*[256]string { //nolint:gochecknoglobals // a constant table
	all := map[string]*[256]string{}
	for line := range strings.Lines(encodingText) {
		names := strings.Fields(line)
		var e [256]string
		for i, name := range names[1:] {
			if name != "." {
				e[i] = name
			}
		}
		all[names[0]] = &e
	}
	return all
})

// widths are the widths of the standard fonts by name of font and glyph.
var widths = sync.OnceValue(func() map[string]map[string]float64 { //nolint:gochecknoglobals // a constant table
	all := map[string]map[string]float64{}
	for line := range strings.Lines(widthText) {
		fields := strings.Fields(line)
		font := make(map[string]float64, len(fields))
		for _, field := range fields[1:] {
			glyph, width, _ := strings.Cut(field, "=")
			n, err := strconv.Atoi(width)
			if err != nil {
				panic(err) // the table is constant
			}
			font[glyph] = float64(n)
		}
		all[fields[0]] = font
	}
	return all
})

// collection is a set of glyphs of Adobe's: the character of each, 0 if it has none.
type collection struct {
	letters []rune
	glyphs  map[rune]int
}

// collectionOf returns the collection with the name, such as Japan1, or nil.
func collectionOf(name string) *collection {
	switch name {
	case "Japan1":
		return japan1Set()
	case "GB1":
		return gb1Set()
	case "CNS1":
		return cns1Set()
	case "Korea1":
		return korea1Set()
	}
	return nil
}

var (
	japan1Set = sync.OnceValue(func() *collection { return readCollection(japan1) }) //nolint:gochecknoglobals // a constant table
	gb1Set    = sync.OnceValue(func() *collection { return readCollection(gb1) })    //nolint:gochecknoglobals // a constant table
	cns1Set   = sync.OnceValue(func() *collection { return readCollection(cns1) })   //nolint:gochecknoglobals // a constant table
	korea1Set = sync.OnceValue(func() *collection { return readCollection(korea1) }) //nolint:gochecknoglobals // a constant table
)

func readCollection(packed []byte) *collection {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err) // the table is constant
	}
	data, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	c := &collection{glyphs: map[rune]int{}}
	letter := int64(0)
	for len(data) > 0 {
		change, n := binary.Varint(data)
		data = data[n:]
		letter += change
		if _, known := c.glyphs[rune(letter)]; !known {
			c.glyphs[rune(letter)] = len(c.letters)
		}
		c.letters = append(c.letters, rune(letter))
	}
	return c
}
