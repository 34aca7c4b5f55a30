package sheet

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/archive"
	"github.com/svcflow/svc/nodes/reading"
)

// Workbook is a workbook whose cells can be read. It is not safe for concurrent use.
type Workbook struct {
	ctx      context.Context
	parts    *parts
	sheets   []sheetPart
	calendar calendar
	formats  []format // by the number of the style
	strings  []string
	notes    *reading.Notes
}

type sheetPart struct {
	name, part string
	chart      bool // it has no cells
}

// Open reads what the sheets of a workbook share. The run of ctx pays for the memory.
func Open(ctx context.Context, r io.ReaderAt, size int64, notes *reading.Notes) (*Workbook, error) {
	if err := foreign(r); err != nil {
		return nil, err
	}
	z, err := archive.Open(r, size)
	if err != nil {
		return nil, err
	}
	p, err := newParts(z)
	if err != nil {
		return nil, err
	}
	w := &Workbook{ctx: ctx, parts: p, notes: notes}
	if err := w.readWorkbook(); err != nil {
		if known, ok := errors.AsType[*node.Error](err); ok {
			return nil, known
		}
		return nil, reading.Invalid("the workbook cannot be read: %s", err)
	}
	return w, nil
}

// foreign returns an error that names the format of a file that is often taken for XLSX.
func foreign(r io.ReaderAt) error {
	head := make([]byte, 16)
	n, _ := r.ReadAt(head, 0) // a short file is handled later
	switch head := string(head[:n]); {
	case strings.HasPrefix(head, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
		return reading.Invalid("it is an old XLS workbook, or one with a password; save it as XLSX without a password")
	case strings.HasPrefix(head, "%PDF-"):
		return reading.Invalid("it is a PDF, not an XLSX workbook")
	case strings.HasPrefix(strings.TrimSpace(strings.ToLower(head)), "<"):
		return reading.Invalid("it is HTML or XML, not an XLSX workbook; the archive cannot be read")
	}
	return nil
}

func (w *Workbook) readWorkbook() error {
	main, err := w.mainPart()
	if err != nil {
		return err
	}
	relations, err := w.parts.relations(main)
	if err != nil {
		return err
	}
	err = w.parts.scan(main, func(_ *xml.Decoder, t xml.Token) (bool, error) {
		if e, ok := t.(xml.StartElement); ok {
			switch e.Name.Local {
			case "extLst": // has a workbookPr of other programs
				return false, nil
			case "workbookPr":
				w.calendar.from1904 = isTrue(attr(e, "date1904"))
			case "sheet":
				w.addSheet(e, path.Dir(main), relations)
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", main, err)
	}
	if len(w.sheets) == 0 {
		return errors.New("it has no sheet")
	}
	for _, r := range relations {
		switch r.kind {
		case "styles":
			err = w.readStyles(r.target)
		case "sharedStrings":
			w.strings, err = sharedStrings(w.ctx, w.parts, r.target)
		default:
			continue
		}
		if _, known := errors.AsType[*node.Error](err); known {
			return err
		}
		if err != nil {
			w.notes.Dropped(0, r.target, "the part is damaged (%s); dates or texts may be missing", err)
		}
	}
	return nil
}

// mainPart returns the name of the part that lists the sheets.
func (w *Workbook) mainPart() (string, error) {
	root, err := w.parts.relations("")
	if err != nil {
		return "", err
	}
	for _, r := range root {
		if r.kind == "officeDocument" {
			if strings.HasSuffix(r.target, ".bin") {
				return "", errors.New("it is a binary workbook (.xlsb); save it as XLSX")
			}
			return r.target, nil
		}
	}
	if w.parts.files["xl/workbook.xml"] != nil {
		return "xl/workbook.xml", nil
	}
	if w.parts.files["content.xml"] != nil {
		return "", errors.New("it is an OpenDocument file; save it as XLSX")
	}
	return "", errors.New("it is no XLSX workbook")
}

func (w *Workbook) addSheet(e xml.StartElement, dir string, relations map[string]relation) {
	s := sheetPart{name: unescape(attr(e, "name"))}
	id := ""
	for _, a := range e.Attr { // sheetId is not the id of the relationship
		if a.Name.Local == "id" && a.Name.Space != "" {
			id = a.Value
		}
	}
	if r, ok := relations[id]; ok {
		s.part, s.chart = r.target, r.kind != "worksheet"
	} else { // as libraries write that leave relationships out
		s.part = path.Join(dir, "worksheets/sheet"+strconv.Itoa(len(w.sheets)+1)+".xml")
	}
	w.sheets = append(w.sheets, s)
}

// Sheets returns the names of all sheets, in order, hidden ones included.
func (w *Workbook) Sheets() []string {
	names := make([]string, len(w.sheets))
	for i := range w.sheets {
		names[i] = w.sheets[i].name
	}
	return names
}

// find returns a sheet by its name; without a name, the first one with cells.
func (w *Workbook) find(name *string) (*sheetPart, error) {
	for i := range w.sheets {
		s := &w.sheets[i]
		if name == nil && !s.chart || name != nil && *name == s.name {
			return s, s.hasCells()
		}
	}
	if name == nil {
		return nil, reading.Invalid("the workbook has charts only")
	}
	for i := range w.sheets { // Excel ignores case
		if s := &w.sheets[i]; strings.EqualFold(*name, s.name) {
			return s, s.hasCells()
		}
	}
	return nil, reading.Invalid("there is no sheet %q; there are %s", reading.Cut(*name), reading.Cut(strings.Join(w.Sheets(), ", ")))
}

func (s *sheetPart) hasCells() error {
	if s.chart {
		return reading.Invalid("the sheet %q has no cells: it is a chart, a macro or a dialog", reading.Cut(s.name))
	}
	return nil
}

// readStyles reads the number format of each style.
func (w *Workbook) readStyles(part string) error {
	custom := map[int]format{}
	inCells := false
	return w.parts.scan(part, func(_ *xml.Decoder, t xml.Token) (bool, error) {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "numFmt":
				if id, err := strconv.Atoi(attr(t, "numFmtId")); err == nil && !inCells {
					custom[id] = parseFormat(attr(t, "formatCode"))
				}
			case "cellXfs":
				inCells = true
			case "xf":
				if inCells {
					id, _ := strconv.Atoi(attr(t, "numFmtId")) // 0, the general format, if it is missing
					f, ok := custom[id]
					if !ok {
						f = builtIn(id)
					}
					w.formats = append(w.formats, f)
				}
			}
		case xml.EndElement:
			return t.Name.Local != "cellXfs", nil
		}
		return true, nil
	})
}
