package ionode

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"mime"
	"mime/multipart"
	"net/textproto"
	"path"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// fileIn is a file that is sent with a form.
type fileIn struct {
	Field    string  `port:"field" doc:"Name of the field."`
	Path     *string `port:"path" doc:"The file."`
	Base64   *string `port:"base64" doc:"Or its content."`
	Filename *string `port:"filename" doc:"What the other side is told that it is called; its own name if not set."`
	MIME     *string `port:"mime" doc:"Its type; follows from the name if not set."`
}

const (
	typeForm      = "application/x-www-form-urlencoded"
	typeMultipart = "multipart/form-data"
)

// setBody sets the body of m from the input that the node uses.
func (r *request) setBody(ctx context.Context, m *message) error {
	form, files := r.in.Form != nil, len(r.in.Files) > 0
	switch {
	case r.in.Body != nil && (form || files), r.in.BodyFile != nil && (form || files || r.in.Body != nil):
		return node.Errorf(node.CodeInvalidConfig, "a request has one body; give body, bodyFile, or form and files")
	case r.in.BodyFile != nil:
		return r.setBodyFile(ctx, m)
	case files:
		return r.setParts(ctx, m)
	case form:
		return m.setForm(r.in.Form, "form")
	case r.in.Body != nil:
		return m.setBody(r.in.Body)
	}
	return nil
}

// setBodyFile sends a file as it is.
func (r *request) setBodyFile(ctx context.Context, m *message) error {
	name, mediaType, err := fileOf(r.in.BodyFile)
	if err != nil {
		return err
	}
	if name, err = r.files.In(ctx).Clean(name); err != nil {
		return err
	}
	if m.body, err = r.files.load(ctx, name, highestMaxBytes); err != nil {
		return r.files.Failed(name, err)
	}
	m.setType(cmp.Or(mediaType, mime.TypeByExtension(path.Ext(name)), "application/octet-stream"))
	return nil
}

// fileOf returns the path and type of a file: a path, or media with one.
func fileOf(v any) (name, mediaType string, err error) {
	if name, ok := v.(string); ok {
		return name, "", nil
	}
	made, err := value.Conform(v, value.MediaType())
	m, ok := made.(value.Media)
	switch {
	case err != nil || !ok:
		return "", "", permanent(node.CodeInvalidInput, "bodyFile is a path or a media value")
	case m.Path == "":
		return "", "", permanent(node.CodeInvalidInput, "bodyFile is media without a file; save it as a file first")
	}
	return m.Path, m.MIME, nil
}

// setBody sends a text as it is. It sends other values as a form if the content type asks
// for one, else as JSON.
func (m *message) setBody(v any) error {
	text, isText := v.(string)
	mediaType, _, _ := mime.ParseMediaType(m.header.Get("Content-Type"))
	switch {
	case isText:
		m.body = []byte(text)
		m.setType("text/plain; charset=utf-8")
		return nil
	case mediaType == typeMultipart:
		return node.Errorf(node.CodeInvalidInput, "the content type is %s; give files and form instead of a body", typeMultipart)
	case mediaType == typeForm:
		fields, ok := v.(map[string]any)
		if !ok {
			return node.Errorf(node.CodeInvalidInput, "the content type is that of a form; give the body as a record, or use form")
		}
		return m.setForm(fields, "body")
	}
	m.body = value.Append(nil, v)
	m.setType("application/json")
	return nil
}

// setType sets the content type of the body, unless a header sets it.
func (m *message) setType(contentType string) {
	if _, given := m.header["Content-Type"]; !given {
		m.header.Set("Content-Type", contentType)
	}
}

// setForm sends fields as a form. port is the name of their input, for messages.
func (m *message) setForm(fields map[string]any, port string) error {
	values, err := valuesOf(fields, "field")
	if err != nil {
		return err
	}
	if err := m.wants(typeForm, port); err != nil {
		return err
	}
	m.body = []byte(values.Encode())
	m.setType(typeForm)
	return nil
}

// wants returns an error if a header sets another content type than that of the body.
func (m *message) wants(mediaType, port string) error {
	given := m.header.Get("Content-Type")
	if named, _, _ := mime.ParseMediaType(given); given != "" && named != mediaType {
		return node.Errorf(node.CodeInvalidInput, "%s is sent as %s; leave the header Content-Type out", port, mediaType)
	}
	return nil
}

// setParts sends fields and files as a multipart form (RFC 7578).
func (r *request) setParts(ctx context.Context, m *message) error {
	if err := m.wants(typeMultipart, "files"); err != nil {
		return err
	}
	fields, err := valuesOf(r.in.Form, "field")
	if err != nil {
		return err
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, texts := range fields {
		for _, text := range texts {
			if err := w.WriteField(name, text); err != nil {
				return err
			}
		}
	}
	for i := range r.in.Files {
		if err := r.addFile(ctx, w, &r.in.Files[i], highestMaxBytes-body.Len()); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	m.body = body.Bytes()
	m.header.Set("Content-Type", w.FormDataContentType()) // replaces the user's header, which lacks the boundary
	return nil
}

func (r *request) addFile(ctx context.Context, w *multipart.Writer, f *fileIn, limit int) error {
	name, data, err := r.contentOf(ctx, f, limit)
	if err != nil {
		return err
	}
	if f.Filename != nil {
		name = *f.Filename
	}
	mediaType := mime.TypeByExtension(path.Ext(name))
	if f.MIME != nil {
		if mediaType = *f.MIME; !validType(mediaType) {
			return node.Errorf(node.CodeInvalidInput, "the file of field %q: mime is no type such as image/png", f.Field)
		}
	}
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition(f.Field, name)},
		"Content-Type":        {mediaType},
	})
	if err == nil {
		_, err = part.Write(data)
	}
	return err
}

func validType(text string) bool {
	mediaType, params, err := mime.ParseMediaType(text)
	return err == nil && mime.FormatMediaType(mediaType, params) != ""
}

// contentOf returns the name and content of a file.
func (r *request) contentOf(ctx context.Context, f *fileIn, limit int) (name string, data []byte, err error) {
	switch {
	case f.Field == "":
		return "", nil, node.Errorf(node.CodeInvalidInput, "a file needs the name of its field")
	case (f.Path == nil) == (f.Base64 == nil):
		return "", nil, node.Errorf(node.CodeInvalidInput, "the file of field %q needs path or base64, and not both", f.Field)
	case f.Base64 != nil:
		if data, err = base64.StdEncoding.DecodeString(*f.Base64); err != nil {
			return "", nil, node.Errorf(node.CodeInvalidInput, "the file of field %q is not base64", f.Field)
		}
		if len(data) > limit {
			return "", nil, permanent(node.CodeLimitExceeded, "the files are larger than %d bytes together", highestMaxBytes)
		}
		return "file", data, nil
	}
	if name, err = r.files.In(ctx).Clean(*f.Path); err != nil {
		return "", nil, err
	}
	if data, err = r.files.load(ctx, name, max(limit, 0)); err != nil {
		if node.CodeOf(err) == node.CodeLimitExceeded {
			err = permanent(node.CodeLimitExceeded, "the files are larger than %d bytes together", highestMaxBytes)
		}
		return "", nil, r.files.Failed(name, err)
	}
	return path.Base(name), data, nil
}
