package data

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// csvIn holds the inputs that all nodes that read CSV share.
type csvIn struct {
	source

	Header    bool     `port:"header" default:"true" doc:"Whether the first row has the names of the columns."`
	Columns   []string `port:"columns,optional" doc:"With a header: the columns to take. Without: what to call them, in order."`
	Delimiter string   `port:"delimiter" default:"auto" doc:"What stands between fields: one character, tab, or auto for the one that the first row has most of."`
	Quote     string   `port:"quote" default:"\"" doc:"What is around fields with line ends or delimiters in them."`
	Types     string   `port:"types" enum:"text|guess" default:"text" doc:"text leaves all values as they are; guess makes numbers, true, false and null of those that look like it."`
	Encoding  string   `port:"encoding" enum:"auto|utf8|utf16|windows1252" default:"auto" doc:"How the text is encoded."`
	Skip      int      `port:"skip" default:"0" doc:"How many lines to pass over at the beginning."`
	Limit     *int     `port:"limit,optional" doc:"How many rows to read at most; all if it is not given."`
	OnBadRow  string   `port:"onBadRow" enum:"fail|skip" default:"fail" doc:"What to do with a row that does not fit: fail, or go on and tell of it in bad."`
}

// peeked is how many bytes of a file are read to detect its format.
const peeked = 64 << 10

// open returns a reader with the settings of in.
func (in *csvIn) open(r io.Reader) (*csvReader, error) {
	if in.Skip < 0 || in.Limit != nil && *in.Limit < 0 {
		return nil, wrong("skip and limit cannot be negative")
	}
	quote, err := oneByte("quote", in.Quote)
	if err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(decoded(bufio.NewReaderSize(r, peeked), in.Encoding), csvBuffer)
	for range in.Skip {
		if err := discardLine(b); err != nil {
			break
		}
	}
	c := &csvReader{r: b, quote: quote, next: in.Skip}
	head, _ := b.Peek(peeked)
	if sep, ok := bytes.CutPrefix(head, []byte("sep=")); ok && len(sep) > 1 && (sep[1] == '\n' || sep[1] == '\r') { // Excel writes this line before the header
		_ = discardLine(b) // the bytes were peeked
		c.next++
		if in.Delimiter == "auto" {
			c.delim = sep[0]
			return c, nil
		}
	}
	if c.delim, err = in.delimiter(head, quote); err != nil {
		return nil, err
	}
	if c.delim == quote || c.delim == '\n' || c.delim == '\r' {
		return nil, wrong("delimiter and quote are two different characters, and no line ends")
	}
	return c, nil
}

func discardLine(b *bufio.Reader) error {
	for {
		if _, err := b.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func oneByte(port, text string) (byte, error) {
	switch strings.ToLower(text) {
	case "tab", `\t`:
		return '\t', nil
	}
	if len(text) != 1 || text[0] >= utf8.RuneSelf {
		return 0, wrong("%s is %q; it has to be one ASCII character, or tab", port, cut(text))
	}
	return text[0], nil
}

// delimiter returns the configured delimiter, or the one that occurs most often in the
// first row.
func (in *csvIn) delimiter(head []byte, quote byte) (byte, error) {
	if in.Delimiter != "auto" {
		return oneByte("delimiter", in.Delimiter)
	}
	var counts [256]int
	quoted := false
	for _, b := range head {
		if b == quote {
			quoted = !quoted
		}
		if b == '\n' && !quoted && counts['\n'] == 0 && sum(counts[:]) > 0 {
			break
		}
		if !quoted && strings.IndexByte(",;\t|", b) >= 0 {
			counts[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte(";\t|") {
		if counts[b] > counts[best] {
			best = b
		}
	}
	return best, nil
}

func sum(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// decoded returns r converted to UTF-8, without a byte order mark. With the encoding auto,
// the byte order mark decides; without one, the text is UTF-8 if its beginning is valid
// UTF-8.
func decoded(r *bufio.Reader, encoding string) io.Reader {
	head, _ := r.Peek(peeked)
	if encoding == "auto" {
		switch {
		case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
			encoding = "utf16"
		case !utf8.Valid(wholeRunes(head)):
			encoding = "windows1252"
		}
	}
	switch encoding {
	case "utf16":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(r)
	case "windows1252":
		return charmap.Windows1252.NewDecoder().Reader(r)
	}
	if bytes.HasPrefix(head, []byte("\ufeff")) {
		_, _ = r.Discard(len("\ufeff")) // the bytes were peeked
	}
	return r
}

// wholeRunes cuts an incomplete rune at the end of head.
func wholeRunes(head []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
		if b := head[len(head)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(head[len(head)-i:]) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}
