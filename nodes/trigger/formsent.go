package trigger

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// sent is the form data of a request.
type sent struct {
	texts map[string][]string
	files []part // files that are not empty, at most one per field
}

// sentWith reads the form data of a request.
func sentWith(call *node.HookCall) (sent, error) {
	kind, params, _ := mime.ParseMediaType(first(call, "Content-Type"))
	switch kind {
	case "application/x-www-form-urlencoded":
		return sent{texts: urlencoded(string(call.Body), params["charset"])}, nil
	case "multipart/form-data":
		texts, files, err := parts(call.Body, params["boundary"])
		s := sent{texts: texts}
		for _, file := range files {
			if (file.Name != "" || len(file.Data) > 0) && s.file(file.field) == nil {
				s.files = append(s.files, file)
			}
		}
		return s, err
	}
	return sent{}, malformed(http.StatusUnsupportedMediaType, "unsupported_media_type", "send what a form sends: application/x-www-form-urlencoded or multipart/form-data")
}

func (s *sent) text(name string) string {
	if all := s.texts[name]; len(all) > 0 {
		return all[0]
	}
	return ""
}

func (s *sent) file(field string) *part {
	i := slices.IndexFunc(s.files, func(p part) bool { return p.field == field })
	if i < 0 {
		return nil
	}
	return &s.files[i]
}

// digest identifies the content of a submission. A user who goes back and changes the
// answer sends another one; a user who reloads the page sends the same.
func (s *sent) digest(fields []field) string {
	h := sha256.New()
	for i := range fields {
		name := fields[i].name
		text := s.text(name)
		_, _ = fmt.Fprintf(h, "%s\n%d\n%s\n", name, len(text), text)
		if file := s.file(name); file != nil {
			_, _ = fmt.Fprintf(h, "%q\n%d\n", file.Name, len(file.Data))
			_, _ = h.Write(file.Data)
		}
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:tokenOnce])
}

// read converts the submission to outputs, and returns the mistakes by field.
func (f *form) read(s sent) (outputs map[string]any, faults map[string]string) {
	outputs, faults = map[string]any{}, map[string]string{}
	for i := range f.fields {
		field := &f.fields[i]
		if field.typ == typeFile {
			outputs[field.name] = nil
			if field.required && s.file(field.name) == nil {
				faults[field.name] = field.missing()
			}
			continue
		}
		v, fault := field.read(s.text(field.name))
		if outputs[field.name] = v; fault != "" {
			faults[field.name] = fault
		}
	}
	return outputs, faults
}

// has reports whether the form has a file field of that name.
func (f *form) has(name string) bool {
	return slices.ContainsFunc(f.fields, func(field field) bool { return field.name == name && field.typ == typeFile })
}

// listed returns the mistakes as JSON, for programs.
func (f *form) listed(faults map[string]string) string {
	var all []string
	for i := range f.fields {
		if fault := faults[f.fields[i].name]; fault != "" {
			all = append(all, f.fields[i].name+": "+fault)
		}
	}
	return strings.Join(all, " ")
}
