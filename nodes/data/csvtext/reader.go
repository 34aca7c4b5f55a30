// Package csvtext reads CSV as people have it: any line ends, quotes in wrong places, rows
// that do not fit, comments, and a delimiter that has to be found. It reads what Python's
// module csv reads, and notes what it repaired and what it dropped.
package csvtext

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/reading"
)

// reader splits text into rows of fields (RFC 4180). Unlike encoding/csv, it allocates less,
// supports other quotes and line ends, and continues after a malformed row.
type reader struct {
	lines        lines
	delim, quote byte
	notes        *reading.Notes
	marked       bool // note U+FFFD in fields

	line   int    // number of the first line of the current row
	cell   []byte // the fields of the current row, without quotes
	ends   []int  // the end of each field in cell
	after  []byte // the lines of the current row after the first one, as they are in the text
	fields []string
}

// row returns the fields of the next row that is not empty, and io.EOF after the last one.
// The fields are valid until the next call.
func (c *reader) row() ([]string, error) {
	for {
		c.line = c.lines.count + 1
		line, end, err := c.lines.next()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			continue
		}
		if bytes.IndexByte(line, c.quote) < 0 {
			c.plain(string(line))
		} else if read, err := c.quoted(line, end); err != nil {
			return nil, err
		} else if !read {
			continue
		}
		if c.lines.marks && c.marked {
			c.noteMarks()
		}
		return c.fields, nil
	}
}

// noteMarks notes a character that could not be decoded.
func (c *reader) noteMarks() {
	for i, field := range c.fields {
		if strings.Contains(field, "\uFFFD") {
			c.notes.Repaired(c.line, "", "column %d: characters that are not valid in the encoding became U+FFFD; name another encoding", i+1)
			return
		}
	}
}

// plain splits a line without quotes. All fields share one allocation.
func (c *reader) plain(line string) {
	c.fields = c.fields[:0]
	for {
		i := strings.IndexByte(line, c.delim)
		if i < 0 {
			c.fields = append(c.fields, line)
			return
		}
		c.fields = append(c.fields, line[:i])
		line = line[i+1:]
	}
}

// quoted splits a line with quotes. Quoted fields may continue on the next lines. It reports
// false if the row was dropped.
func (c *reader) quoted(line, end []byte) (bool, error) {
	c.cell, c.ends, c.after = c.cell[:0], c.ends[:0], c.after[:0]
	for {
		if len(line) > 0 && line[0] == c.quote {
			rest, restEnd, err := c.inQuotes(line[1:], end)
			if errors.Is(err, errOpen) {
				if len(c.after) > 0 {
					c.giveBack()
					return false, nil
				}
				rest = nil
			} else if err != nil {
				return false, err
			}
			if line, end = rest, restEnd; len(line) > 0 && line[0] != c.delim {
				c.notes.Repaired(c.line, "", "column %d: there is text after the closing quote; a quote inside quotes has to be doubled", len(c.ends)+1)
			}
		}
		// A quote in an unquoted field, or after a closing quote, is an ordinary character.
		i := bytes.IndexByte(line, c.delim)
		if i < 0 {
			c.cell = append(c.cell, line...)
			c.ends = append(c.ends, len(c.cell))
			c.cutAll()
			return true, nil
		}
		c.cell = append(c.cell, line[:i]...)
		c.ends = append(c.ends, len(c.cell))
		line = line[i+1:]
	}
}

// errOpen means that the text ends inside quotes.
var errOpen = errors.New("a quote is not closed")

// inQuotes reads the rest of a quoted field into cell, and returns the line after the
// closing quote.
func (c *reader) inQuotes(line, end []byte) (rest, restEnd []byte, err error) {
	begin, escaped := len(c.cell), false
	for {
		i := bytes.IndexByte(line, c.quote)
		if i < 0 {
			c.cell = append(append(c.cell, line...), end...)
			if line, end, err = c.lines.next(); errors.Is(err, io.EOF) {
				return nil, nil, c.unclosed()
			}
			if err != nil {
				return nil, nil, err
			}
			if c.after = append(append(c.after, line...), end...); len(c.after) > limit.TableRow {
				return nil, nil, c.lines.tooLong(c.line)
			}
			continue
		}
		c.cell = append(c.cell, line[:i]...)
		line = line[i+1:]
		switch {
		case c.backslash(line, begin, escaped):
			c.cell[len(c.cell)-1] = c.quote
			if !escaped {
				c.notes.Repaired(c.line, "", `column %d: \%c is taken as a quote; CSV doubles quotes`, len(c.ends)+1, c.quote)
			}
			escaped = true
		case len(line) > 0 && line[0] == c.quote:
			c.cell, line = append(c.cell, c.quote), line[1:] // a doubled quote is one quote
		default:
			return line, end, nil
		}
	}
}

// backslash reports whether the quote before line is escaped by a backslash at the end of
// cell: it is not the end of the field then, or others of the field were escaped before.
func (c *reader) backslash(line []byte, begin int, escaped bool) bool {
	slashes := 0
	for i := len(c.cell); i > begin && c.cell[i-1] == '\\'; i-- {
		slashes++
	}
	if slashes%2 == 0 || c.delim == '\\' {
		return false
	}
	return escaped || len(line) > 0 && line[0] != c.delim && line[0] != c.quote
}

// unclosed notes a field whose quote is not closed until the end of the text, and returns
// errOpen. If the text ends with the row, the field ends there; otherwise the row is dropped.
func (c *reader) unclosed() error {
	if len(bytes.TrimLeft(c.after, "\r\n")) > 0 {
		c.notes.Dropped(c.line, "", "column %d: the quote that opens the field is never closed; close it, or double it if it belongs to the text", len(c.ends)+1)
		return errOpen
	}
	c.after = c.after[:0]
	c.cell = bytes.TrimRight(c.cell, "\r\n")
	c.notes.Repaired(c.line, "", "column %d: the quote that opens the field is never closed; the field ends with the text", len(c.ends)+1)
	return errOpen
}

// giveBack lets the lines after the first one of the current row be read again.
func (c *reader) giveBack() {
	c.lines.restore(c.after, c.line)
	c.after = nil // lines reads it from now on
}

func (c *reader) cutAll() {
	text, begin := string(c.cell), 0
	c.fields = c.fields[:0]
	for _, end := range c.ends {
		c.fields = append(c.fields, text[begin:end])
		begin = end
	}
}
