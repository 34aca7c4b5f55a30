package trigger

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/charset"
)

// The limits of a form's content.
const (
	mostParts     = 1000
	mostFormFiles = 100
)

// part is a file in a form.
type part struct {
	field string
	node.Upload
}

// output returns the file as users see it: media with the name of its field, and the name
// that the sender gave it.
func (p *part) output(m value.Media) map[string]any {
	return map[string]any{"kind": m.Kind, "mime": m.MIME, "path": m.Path, "field": p.field, "filename": p.Name}
}

// parts reads a form with files (multipart/form-data). Each text is decoded by the encoding
// of its part, or by that which the field _charset_ names (RFC 7578, section 4.6).
func parts(body []byte, boundary string) (map[string][]string, []part, error) {
	form := &partsReader{fields: map[string][]encodedField{}}
	in := multipart.NewReader(bytes.NewReader(body), boundary)
	for n := 0; ; n++ {
		p, err := in.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return form.texts(), form.files, nil
		case err != nil:
			return nil, nil, errParts
		case n == mostParts || len(form.files) > mostFormFiles:
			return nil, nil, malformed(http.StatusRequestEntityTooLarge, "too_large", "the form has too many parts")
		}
		if err := form.add(p); err != nil {
			return nil, nil, errParts
		}
	}
}

var errParts = malformed(http.StatusBadRequest, "malformed", "the body is no form of parts, or ends too early")

// partsReader collects the parts of a form.
type partsReader struct {
	fields map[string][]encodedField
	files  []part
}

// encodedField is a field before it is decoded.
type encodedField struct {
	data  []byte
	label string // the encoding that the part names
}

func (r *partsReader) add(p *multipart.Part) error {
	data, err := io.ReadAll(p)
	if err != nil {
		return err
	}
	given := p.Header.Get("Content-Type")
	name, filename, isFile := disposition(p.Header.Get("Content-Disposition"))
	if !isFile || filename == "" && len(data) == 0 { // browsers send an empty part if no file was chosen
		r.fields[name] = append(r.fields[name], encodedField{data, charset.OfType(given)})
		return nil
	}
	kind, _, err := mime.ParseMediaType(given)
	if err != nil {
		kind = "application/octet-stream"
	}
	r.files = append(r.files, part{name, node.Upload{Name: filename, MIME: kind, Data: data}})
	return nil
}

// texts returns the decoded fields.
func (r *partsReader) texts() map[string][]string {
	declared := ""
	if named := r.fields["_charset_"]; len(named) > 0 {
		declared = string(named[0].data)
	}
	made := make(map[string][]string, len(r.fields))
	for name, values := range r.fields {
		for _, v := range values {
			made[name] = append(made[name], textOrBase64(v.data, v.label, declared))
		}
	}
	return made
}

// parameters finds the parameters of a Content-Disposition that is malformed, mostly since
// a file name has quotes.
var parameters = regexp.MustCompile(`(?i)\b(name|filename)="(.*?)"\s*(?:;|$)`)

// disposition returns the names of a part's field and file. Browsers escape quotes and line
// breaks in names by percent signs.
func disposition(header string) (name, filename string, isFile bool) {
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		params = map[string]string{}
		for _, found := range parameters.FindAllStringSubmatch(header, -1) {
			params[strings.ToLower(found[1])] = found[2]
		}
	}
	unescape := strings.NewReplacer("%22", `"`, "%0D", "", "%0A", " ", "%0d", "", "%0a", " ")
	readable := func(text string) string { return unescape.Replace(decoded([]byte(text), "")) }
	filename, isFile = params["filename"]
	filename = strings.ReplaceAll(filename, `\`, "/") // a path of Windows
	if filename != "" {
		filename = path.Base(filename)
	}
	return readable(params["name"]), readable(filename), isFile
}
