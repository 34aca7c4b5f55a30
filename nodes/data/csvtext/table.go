package csvtext

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/data/columns"
	"github.com/svcflow/svc/nodes/reading"
)

// Options says how a table is read.
type Options struct {
	// Header means that the first row has the names of the columns.
	Header bool
	// Columns are the columns to take; nil takes all. Without a header they are the names
	// of the columns.
	Columns []string
	// Delimiter and Quote are one ASCII character, or "tab". The delimiter "auto" is found.
	Delimiter, Quote string
	// Skip is how many lines are left out at the beginning.
	Skip int
	// Decoded means that U+FFFD stands for bytes that could not be decoded.
	Decoded bool
}

// Table reads the rows of a table. It is not safe for concurrent use.
type Table struct {
	reader  reader
	notes   *reading.Notes
	names   []string // of all columns
	at      []int    // the selected columns, as indexes of names
	columns []string // names of the selected columns
	values  []string
	any     bool // a row was read or dropped
}

// mark is a byte order mark.
const mark = "\ufeff"

// Open returns the table of r, which is UTF-8, and reads its header.
func Open(r io.Reader, o Options, notes *reading.Notes) (*Table, error) {
	if o.Skip < 0 {
		return nil, reading.Invalid("skip cannot be negative")
	}
	quote, err := Char("quote", o.Quote)
	if err != nil {
		return nil, err
	}
	t := &Table{notes: notes, reader: reader{lines: newLines(r), quote: quote, notes: notes, marked: o.Decoded}}
	for string(t.reader.lines.peek(len(mark))) == mark { // some programs write two
		t.reader.lines.pos += len(mark)
	}
	for range o.Skip {
		if _, _, err := t.reader.lines.next(); err != nil {
			break // the rest is empty
		}
	}
	if err := t.setDelimiter(o.Delimiter); err != nil {
		return nil, err
	}
	if !o.Header {
		t.setNames(o.Columns)
		return t, nil
	}
	first, err := t.header()
	if errors.Is(err, io.EOF) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	if len(first) > limit.TableColumns {
		return nil, reading.TooMuch("line %d: there are more than %d columns", t.reader.line, limit.TableColumns)
	}
	names, renamed := columns.Names(first, 1)
	for _, r := range renamed {
		notes.Repaired(t.reader.line, "", "two columns are called %q; column %d is %q here", reading.Cut(r.Name), r.Column, reading.Cut(r.Unique))
	}
	t.setNames(names)
	return t, t.choose(o.Columns)
}

// setDelimiter sets the delimiter, and passes the line that names it.
func (t *Table) setDelimiter(delimiter string) (err error) {
	c := &t.reader
	declared, found := declaredDelimiter(c.lines.peek(16))
	if found {
		if _, _, err := c.lines.next(); err != nil {
			return err
		}
	}
	switch {
	case delimiter != "auto":
		if c.delim, err = Char("delimiter", delimiter); err != nil {
			return err
		}
	case found:
		c.delim = declared
	default:
		c.delim = findDelimiter(c.lines.peek(sampledBytes), c.quote)
	}
	if c.delim == c.quote || c.delim == '\n' || c.delim == '\r' {
		return reading.Invalid("delimiter and quote have to be two different characters, and no line ends")
	}
	return nil
}

// header returns the first row that is not a comment before the table: a line that begins
// with # and has not as many fields as the next ones.
func (t *Table) header() ([]string, error) {
	for {
		fields, err := t.reader.row()
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(fields[0], "#") {
			return fields, nil
		}
		width, rows := mode(rowWidths(t.reader.lines.peek(sampledBytes), t.reader.delim, t.reader.quote))
		if rows == 0 || width == len(fields) {
			return fields, nil
		}
		t.noteComment()
	}
}

func (t *Table) noteComment() {
	t.notes.Repaired(t.reader.line, "", "the line begins with # and does not fit the columns; it is taken as a comment")
}

// setNames sets the names of all columns, and takes all of them.
func (t *Table) setNames(names []string) {
	t.names, t.at = slices.Clone(names), t.at[:0]
	for i := range t.names {
		t.at = append(t.at, i)
	}
	t.columns = t.names
}

// choose selects columns.
func (t *Table) choose(chosen []string) error {
	if chosen == nil {
		return nil
	}
	t.at, t.columns = t.at[:0], chosen
	for _, name := range chosen {
		i := slices.Index(t.names, name)
		if i < 0 {
			return reading.Invalid("there is no column %q; there are %s", reading.Cut(name), reading.Cut(strings.Join(t.names, ", ")))
		}
		t.at = append(t.at, i)
	}
	return nil
}

// Columns returns the names of the columns that Next returns. Without a header they are
// known after the first row.
func (t *Table) Columns() []string { return t.columns }

// Line returns the number of the line at which the row begins that Next returned.
func (t *Table) Line() int { return t.reader.line }

// Next returns the fields of the next row that fits the columns, in their order, and io.EOF
// after the last one. It returns after a dropped row, too: then the row is nil. The fields
// are valid until the next call.
func (t *Table) Next() ([]string, error) {
	fields, err := t.reader.row()
	if errors.Is(err, io.EOF) && !t.any {
		t.any = true
		t.noteEmpty()
	}
	if err != nil {
		return nil, err
	}
	t.any = true
	if t.names == nil { // without a header the first row sets the number of columns
		if len(fields) > limit.TableColumns {
			return nil, reading.TooMuch("line %d: there are more than %d columns", t.reader.line, limit.TableColumns)
		}
		names, _ := columns.Names(make([]string, len(fields)), 1)
		t.setNames(names)
	}
	if len(fields) != len(t.names) && !t.fit(fields) {
		return nil, nil
	}
	t.values = t.values[:0]
	for _, at := range t.at {
		t.values = append(t.values, fields[at])
	}
	return t.values, nil
}

// fit reports whether a row with too many fields fits, because the others are empty. It
// notes what becomes of other rows.
func (t *Table) fit(fields []string) bool {
	line, got, want := t.reader.line, len(fields), len(t.names)
	switch {
	case got == 1 && strings.Trim(fields[0], " \t\x00\x1a\ufeff") == "":
		if strings.ContainsAny(fields[0], "\x00\x1a") {
			t.notes.Repaired(line, "", "the line has no text, only control characters; it is left out")
		}
	case isComment(fields):
		t.noteComment()
	case got < want:
		t.notes.Dropped(line, "", "there are %d fields, and %d columns; the row is cut off, or a delimiter is missing", got, want)
	case strings.Join(fields[want:], "") == "":
		t.notes.Repaired(line, "", "there are %d fields, and %d columns; the fields that are too many are empty and left out", got, want)
		return true
	default:
		t.notes.Dropped(line, "", "there are %d fields, and %d columns; a field with a delimiter needs quotes", got, want)
	}
	return false
}

// isComment reports whether a row that does not fit is a comment. "#5" may be data.
func isComment(fields []string) bool {
	text, marked := strings.CutPrefix(fields[0], "#")
	return marked && (text == "" || text[0] < '0' || text[0] > '9')
}

// noteEmpty notes that there is no row.
func (t *Table) noteEmpty() {
	switch {
	case t.reader.lines.count == 0:
		t.notes.Repaired(0, "", "there is no row: the text is empty")
	case t.names == nil:
		t.notes.Repaired(0, "", "there is no row: the text has only empty lines")
	default:
		t.notes.Repaired(0, "", "there is no row after the header %s", reading.Cut(strings.Join(t.names, ", ")))
	}
}
