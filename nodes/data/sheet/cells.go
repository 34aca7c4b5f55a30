package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/reading"
)

// Range is a part of a sheet. Rows and columns count from 1; a Right or Bottom of 0 is no
// limit.
type Range struct{ Left, Top, Right, Bottom int }

// ParseRange reads a range such as A2:D100, or a single cell.
func ParseRange(text string) (r Range, err error) {
	from, to, pair := strings.Cut(strings.ReplaceAll(text, "$", ""), ":")
	if !pair {
		to = from
	}
	var ok, also bool
	r.Left, r.Top, ok = cellName(from)
	r.Right, r.Bottom, also = cellName(to)
	if !ok || !also || r.Right < r.Left || r.Bottom < r.Top {
		return r, reading.Invalid("range %q is none such as A2:D100", reading.Cut(text))
	}
	return r, nil
}

const (
	maxColumn = 16384
	maxRow    = 1 << 20
)

// cellName returns the column and the row of a name such as B7.
func cellName(name string) (column, row int, ok bool) {
	i := 0
	for ; i < len(name); i++ {
		c := name[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		if column = column*26 + int(c-'a') + 1; column > maxColumn {
			return 0, 0, false
		}
	}
	row, err := strconv.Atoi(name[i:])
	return column, row, i > 0 && err == nil && row >= 1 && row <= maxRow
}

// columnName returns the letters of a column.
func columnName(column int) (name string) {
	for ; column > 0; column = (column - 1) / 26 {
		name = string(rune('A'+(column-1)%26)) + name
	}
	return name
}

// Options says what is read of a sheet.
type Options struct {
	// Sheet is the name of the sheet; nil means the first one with cells.
	Sheet *string
	// Range are the cells to read; nil means all.
	Range *Range
	// Serial leaves dates the numbers that they are stored as.
	Serial bool
}

// Rows calls each with the number of every row that has a value, and its values from the
// column Left on: nil, string, bool, int or float64. The last value is not nil. values is
// valid until each returns. An error of each ends the reading and is returned.
func (w *Workbook) Rows(o Options, each func(row int, values []any) error) error {
	part, err := w.find(o.Sheet)
	if err != nil {
		return err
	}
	s := &scanner{w: w, name: part.name, serial: o.Serial, in: Range{Left: 1, Top: 1}, each: each}
	if o.Range != nil {
		s.in = *o.Range
	}
	err = w.parts.scan(part.part, s.token)
	if s.empty > 0 {
		s.noteFormulas()
	}
	if err == nil {
		return s.failed
	}
	if known, ok := errors.AsType[*node.Error](err); ok {
		return known
	}
	if errors.Is(err, errNoPart) {
		return reading.Invalid("the sheet %q cannot be read: the workbook lacks the part %s", reading.Cut(part.name), part.part)
	}
	w.notes.Dropped(s.row, part.name, "the sheet is damaged after row %d (%s); the rows that follow are missing", s.row, err)
	return nil
}

// scanner reads the cells of a sheet from its XML.
type scanner struct {
	w      *Workbook
	name   string
	serial bool
	in     Range
	each   func(row int, values []any) error
	failed error // of each

	inside      bool // of sheetData
	row, column int  // of the current cell
	values      []any

	kind, style string // of the current cell
	formula     bool
	saved       bool // there is a value, if only an empty one
	value       []byte
	inValue     bool
	inline      textReader
	hasInline   bool

	empty int    // formulas without a value
	first string // the first of them
}

// token handles a token of the sheet.
func (s *scanner) token(_ *xml.Decoder, t xml.Token) (more bool, err error) {
	switch t := t.(type) {
	case xml.StartElement:
		return s.start(t)
	case xml.EndElement:
		return s.end(t.Name.Local)
	case xml.CharData:
		if s.inValue {
			s.value = append(s.value, t...)
		} else if s.inline.taken {
			s.inline.text = append(s.inline.text, t...)
		}
	}
	return true, nil
}

func (s *scanner) start(e xml.StartElement) (more bool, err error) {
	name := e.Name.Local
	if !s.inside {
		s.inside = name == "sheetData"
		return true, nil
	}
	switch name {
	case "row":
		s.row, s.column = s.row+1, 0
		if n, err := strconv.Atoi(attr(e, "r")); err == nil && n > 0 {
			s.row = n
		}
		s.values = s.values[:0]
		if s.in.Bottom > 0 && s.row > s.in.Bottom {
			return false, nil
		}
	case "c":
		return true, s.startCell(e)
	case "v":
		s.inValue, s.saved = true, true
	case "f":
		s.formula = true
	case "is":
		s.hasInline = true
	default:
		if s.hasInline {
			s.inline.start(name)
		}
	}
	return true, nil
}

func (s *scanner) startCell(e xml.StartElement) error {
	s.column++
	s.kind, s.style = "", ""
	for i := range e.Attr {
		switch a := &e.Attr[i]; a.Name.Local {
		case "r":
			if column, _, ok := cellName(a.Value); ok {
				s.column = column
			}
		case "t":
			s.kind = a.Value
		case "s":
			s.style = a.Value
		}
	}
	s.formula, s.saved, s.inValue, s.hasInline = false, false, false, false
	s.value, s.inline = s.value[:0], textReader{text: s.inline.text[:0]}
	if s.column > limit.TableColumns {
		return reading.TooMuch("row %d: there are more than %d columns", s.row, limit.TableColumns)
	}
	return nil
}

func (s *scanner) end(name string) (more bool, err error) {
	if !s.inside {
		return true, nil
	}
	switch name {
	case "sheetData":
		return false, nil
	case "row":
		if s.failed = s.endRow(); s.failed != nil {
			return false, nil
		}
	case "c":
		s.endCell()
	case "v":
		s.inValue = false
	case "is":
		s.hasInline, s.inline.taken = false, false
	default:
		s.inline.end(name)
	}
	return true, nil
}

func (s *scanner) endCell() {
	if s.row < s.in.Top || s.column < s.in.Left || s.in.Right > 0 && s.column > s.in.Right {
		return
	}
	v := s.cell()
	if v == nil {
		if s.formula && !s.saved {
			if s.empty++; s.empty == 1 {
				s.first = s.at()
			}
		}
		return
	}
	for len(s.values) <= s.column-s.in.Left {
		s.values = append(s.values, nil)
	}
	s.values[s.column-s.in.Left] = v
}

func (s *scanner) endRow() error {
	if len(s.values) == 0 {
		return nil
	}
	return s.each(s.row, s.values)
}

// at returns the name of the current cell for notes.
func (s *scanner) at() string { return fmt.Sprintf("%s!%s%d", s.name, columnName(s.column), s.row) }

func (s *scanner) noteFormulas() {
	others := ""
	if s.empty > 1 {
		others = fmt.Sprintf(", and so have %d more", s.empty-1)
	}
	s.w.notes.Repaired(0, s.first, "the formula has no saved result%s; it is null; open the workbook in Excel and save it", others)
}

// cell returns the value of the current cell.
func (s *scanner) cell() any {
	switch s.kind {
	case "s":
		return s.shared()
	case "str", "inlineStr":
		return s.text()
	case "b":
		if len(s.value) == 0 {
			return nil
		}
		return isTrue(string(s.value))
	case "e":
		return s.text()
	case "d":
		return s.isoDate()
	}
	if len(s.value) == 0 {
		return s.text()
	}
	return s.number()
}

// text returns the text of the cell; nil if it is empty.
func (s *scanner) text() any {
	text := s.inline.text
	if len(text) == 0 {
		text = s.value
	}
	if len(text) == 0 {
		return nil
	}
	return unescape(string(text))
}

func (s *scanner) shared() any {
	if len(s.value) == 0 {
		return s.text()
	}
	i, err := strconv.Atoi(strings.TrimSpace(string(s.value)))
	if err != nil || i < 0 || i >= len(s.w.strings) {
		s.w.notes.Dropped(s.row, s.at(), "the text is missing: the workbook has no shared text %q", reading.Cut(string(s.value)))
		return nil
	}
	if s.w.strings[i] == "" {
		return nil
	}
	return s.w.strings[i]
}

func (s *scanner) isoDate() any {
	raw := string(s.value)
	if raw == "" {
		return nil
	}
	text, serial, ok := s.w.calendar.iso(raw)
	switch {
	case !ok:
		s.w.notes.Repaired(s.row, s.at(), "the date %q is malformed; it is taken as a text", reading.Cut(raw))
		return raw
	case s.serial:
		return serial
	}
	return text
}

// number returns the number of the cell, or the date that its style shows.
func (s *scanner) number() any {
	raw := strings.TrimSpace(string(s.value))
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil || strings.Trim(raw, "0123456789+-.eE") != "" {
		s.w.notes.Repaired(s.row, s.at(), "the number %q is malformed; it is taken as a text", reading.Cut(raw))
		return unescape(string(s.value))
	}
	if k := s.shows(n); k != number && !s.serial {
		text, ok, leap := s.w.calendar.text(n, k)
		switch {
		case leap:
			s.w.notes.Repaired(s.row, s.at(), "29 February 1900 did not exist; it is taken as the 28th")
		case !ok:
			s.w.notes.Repaired(s.row, s.at(), "the cell is shown as a date, but %s is none; it is taken as a number", reading.Cut(raw))
		}
		if ok {
			return text
		}
	}
	if whole, err := strconv.Atoi(raw); err == nil {
		return whole
	}
	return n
}

// shows returns what the style of the cell shows n as.
func (s *scanner) shows(n float64) kind {
	if s.style == "" {
		if len(s.w.formats) == 0 {
			return number
		}
		return s.w.formats[0].of(n)
	}
	i, err := strconv.Atoi(s.style)
	if err != nil || i < 0 || i >= len(s.w.formats) {
		return number
	}
	return s.w.formats[i].of(n)
}
