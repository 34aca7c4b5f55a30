package data

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/svcflow/svc/engine/limit"
)

// csvReader reads rows of CSV (RFC 4180). Unlike encoding/csv, it allocates less, supports other
// quotes, and continues after a malformed row.
type csvReader struct {
	r            *bufio.Reader
	delim, quote byte

	line   int    // number of the first line of the current row
	next   int    // number of lines read
	long   []byte // the current line, if it is longer than r's buffer
	cell   []byte // the fields of the current row, without quotes
	ends   []int  // the end of each field in cell
	fields []string
}

// csvBuffer is the size of the read buffer in bytes.
const csvBuffer = 256 << 10

// rowError is the error of a malformed row.
type rowError struct {
	line    int
	message string
}

// Error implements error.
func (e *rowError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.message) }

// errRowTooLong ends the reading, because the beginning of the next row is unknown.
var errRowTooLong = errors.New("row too long")

// row returns the fields of the next row that is not empty. They are valid until the next
// call. After a [rowError] the next row can be read; any other error ends the reading.
func (c *csvReader) row() ([]string, error) {
	for {
		c.line = c.next + 1
		line, err := c.readLine()
		if err != nil {
			return nil, err
		}
		line = trimEnd(line)
		if len(line) == 0 {
			continue
		}
		if bytes.IndexByte(line, c.quote) >= 0 {
			return c.quoted(line)
		}
		c.plain(string(line))
		return c.fields, nil
	}
}

// plain splits a line without quotes. All fields share one allocation.
func (c *csvReader) plain(line string) {
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

// quoted splits a line with quotes. Quoted fields may continue on the next lines.
func (c *csvReader) quoted(line []byte) ([]string, error) {
	c.cell, c.ends = c.cell[:0], c.ends[:0]
	for {
		if len(line) == 0 || line[0] != c.quote { // a quote inside an unquoted field is an ordinary character
			i := bytes.IndexByte(line, c.delim)
			if i < 0 {
				c.cell = append(c.cell, line...)
				c.ends = append(c.ends, len(c.cell))
				return c.cutAll(), nil
			}
			c.cell = append(c.cell, line[:i]...)
			c.ends = append(c.ends, len(c.cell))
			line = line[i+1:]
			continue
		}
		rest, err := c.inQuotes(line[1:])
		if err != nil {
			return nil, err
		}
		c.ends = append(c.ends, len(c.cell))
		if len(rest) == 0 {
			return c.cutAll(), nil
		}
		if rest[0] != c.delim {
			return nil, &rowError{c.line, fmt.Sprintf("column %d: text stands behind the quote that closes it", len(c.ends))}
		}
		line = rest[1:]
	}
}

// inQuotes reads the rest of a quoted field into cell, and returns the line after the
// closing quote.
func (c *csvReader) inQuotes(line []byte) (rest []byte, err error) {
	for {
		i := bytes.IndexByte(line, c.quote)
		if i < 0 {
			c.cell = append(append(c.cell, line...), '\n')
			more, err := c.readLine()
			if errors.Is(err, io.EOF) {
				return nil, &rowError{c.line, fmt.Sprintf("column %d: the quote that opens it is never closed", len(c.ends)+1)}
			}
			if err != nil {
				return nil, err
			}
			if len(c.cell)+len(more) > limit.TableRow {
				return nil, c.tooLong()
			}
			line = trimEnd(more)
			continue
		}
		c.cell = append(c.cell, line[:i]...)
		if line = line[i+1:]; len(line) == 0 || line[0] != c.quote {
			return line, nil
		}
		c.cell, line = append(c.cell, c.quote), line[1:] // a doubled quote is one quote
	}
}

func (c *csvReader) cutAll() []string {
	text, begin := string(c.cell), 0
	c.fields = c.fields[:0]
	for _, end := range c.ends {
		c.fields = append(c.fields, text[begin:end])
		begin = end
	}
	return c.fields
}

// readLine returns the next line, including its line ending.
func (c *csvReader) readLine() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	c.next++
	if !errors.Is(err, bufio.ErrBufferFull) {
		return ended(line, err)
	}
	c.long = append(c.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(c.long) > limit.TableRow {
			return nil, c.tooLong()
		}
		line, err = c.r.ReadSlice('\n')
		c.long = append(c.long, line...)
	}
	if len(c.long) > limit.TableRow {
		return nil, c.tooLong()
	}
	return ended(c.long, err)
}

func (c *csvReader) tooLong() error {
	return fmt.Errorf("%w: line %d: the row is longer than %d bytes; a quote may not be closed, or the delimiter be another one", errRowTooLong, c.line, limit.TableRow)
}

// ended clears io.EOF for a last line without a line ending, so that it is handled like the
// others.
func ended(line []byte, err error) ([]byte, error) {
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return line, err
}

func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}
