package sheet

import (
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/zip"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/reading"
)

// parts are the files of a workbook, by their names in lower case.
type parts struct {
	files map[string]*zip.File
	left  int64 // bytes that may still be unpacked
}

func newParts(z *zip.Reader) (*parts, error) {
	p := &parts{files: make(map[string]*zip.File, len(z.File)), left: limit.Unpacked}
	var total uint64
	for _, f := range z.File {
		name := partName(f.Name)
		if total += min(f.UncompressedSize64, limit.Unpacked+1); total > limit.Unpacked {
			return nil, reading.TooMuch("entry %q: the workbook unpacks to more than %d bytes", reading.Cut(f.Name), limit.Unpacked)
		}
		if _, twice := p.files[name]; !twice {
			p.files[name] = f
		}
	}
	return p, nil
}

func partName(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// errNoPart means that a workbook lacks a part.
var errNoPart = errors.New("the workbook lacks it")

// scan calls each with the tokens of a part, until it returns false.
func (p *parts) scan(name string, each func(d *xml.Decoder, t xml.Token) (bool, error)) error {
	f := p.files[partName(name)]
	if f == nil {
		return errNoPart
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	d := decoder(&bounded{r, &p.left, f.Name})
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if more, err := each(d, t); !more || err != nil {
			return err
		}
	}
}

// decoder returns a decoder of XML in UTF-8, UTF-16 or the encoding that it declares.
func decoder(r io.Reader) *xml.Decoder {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(2)
	wide := string(head) == "\xff\xfe" || string(head) == "\xfe\xff"
	var in io.Reader = b
	if wide {
		decoded, err := charset.NewReader(b, "", "")
		if err != nil {
			return xml.NewDecoder(b) // reports the error
		}
		in = bufio.NewReader(decoded)
	}
	d := xml.NewDecoder(in)
	d.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		if wide {
			return input, nil
		}
		e, err := charset.ByLabel(label)
		if err != nil {
			return nil, err
		}
		return e.Reader(input), nil
	}
	return d
}

// bounded reads a part and counts its bytes.
type bounded struct {
	r    io.Reader
	left *int64
	name string
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if *b.left -= int64(n); *b.left < 0 {
		return 0, reading.TooMuch("entry %q: the workbook unpacks to more than %d bytes", reading.Cut(b.name), limit.Unpacked)
	}
	return n, err
}

// relation is a relationship of a part: its type without the address, and its target.
type relation struct{ kind, target string }

// relations returns the relationships of a part by their ids; none if it has none.
func (p *parts) relations(part string) (map[string]relation, error) {
	all := map[string]relation{}
	dir, base := path.Split(part)
	err := p.scan(dir+"_rels/"+base+".rels", func(_ *xml.Decoder, t xml.Token) (bool, error) {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "Relationship" && attr(e, "TargetMode") != "External" {
			target := strings.ReplaceAll(attr(e, "Target"), `\`, "/")
			if !strings.HasPrefix(target, "/") {
				target = dir + target
			}
			all[attr(e, "Id")] = relation{path.Base(attr(e, "Type")), strings.TrimPrefix(path.Clean(target), "/")}
		}
		return true, nil
	})
	if errors.Is(err, errNoPart) {
		err = nil
	}
	return all, err
}

// attr returns an attribute of an element, whatever its namespace is.
func attr(e xml.StartElement, name string) string {
	for i := range e.Attr {
		if e.Attr[i].Name.Local == name {
			return e.Attr[i].Value
		}
	}
	return ""
}

// isTrue reports whether an attribute is true.
func isTrue(s string) bool { return s == "1" || s == "true" || s == "on" }
