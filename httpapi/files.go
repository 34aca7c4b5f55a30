package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/httpapi/internal/problem"
	"github.com/svcflow/svc/nodes/folder"
)

// listFiles answers GET /files.
func (s *Service) listFiles(a *answer, r *http.Request) error {
	limit, err := a.limit(run.MaxFiles)
	if err != nil {
		return err
	}
	page, err := s.app.Files(r.Context(), run.FileQuery{Dir: a.query.Get("dir"), Limit: limit, Cursor: a.query.Get("cursor")})
	if err != nil {
		return fileProblem(err)
	}
	return a.json(http.StatusOK, page)
}

// getFile answers GET /files/{path}. The headers prevent that a browser shows the file or runs
// scripts in it.
func (s *Service) getFile(a *answer, r *http.Request) error {
	f, info, err := s.app.OpenFile(r.Context(), a.wildcards[0])
	if err != nil {
		return fileProblem(err)
	}
	defer f.Close() //nolint:errcheck // only read
	h := a.Header()
	h.Set("ETag", fileTag(&info))
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(info.Path)}))
	w := &fileWriter{answer: a}
	http.ServeContent(w, r, info.Path, info.Modified, f)
	switch w.refused {
	case http.StatusPreconditionFailed:
		return problem.New(w.refused, problem.CodePreconditionFailed, "the file is not the expected one; ask for it again")
	case http.StatusRequestedRangeNotSatisfiable:
		return problem.New(w.refused, problem.CodeRange, fmt.Sprintf("the file has %d bytes, and none of those that Range asks for", info.Bytes))
	}
	return nil
}

// fileWriter sends a file in pieces. It suppresses the error answers of net/http, so that a problem
// can be sent instead.
type fileWriter struct {
	*answer

	refused int
}

// WriteHeader implements [http.ResponseWriter].
func (w *fileWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.refused = status
		for _, name := range []string{"Content-Disposition", "Content-Length", "Last-Modified"} {
			w.Header().Del(name)
		}
		return
	}
	w.drop()
	w.answer.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *fileWriter) Write(p []byte) (int, error) {
	if w.refused != 0 {
		return len(p), nil
	}
	w.writeUntil(time.Now().Add(stallTimeout))
	return w.answer.Write(p)
}

// putFile answers PUT /files/{path}. It replaces the file only after the whole body has arrived.
func (s *Service) putFile(a *answer, r *http.Request) error {
	cond, err := condition(r)
	switch {
	case err != nil:
		return err
	case r.ContentLength > s.maxUpload:
		return problem.BodyTooLarge(s.maxUpload)
	case r.Header.Get("Content-Encoding") != "":
		return unsupported("send the file without Content-Encoding").With("Accept-Encoding", "identity")
	case r.Header.Get("Content-Range") != "":
		return problem.InvalidParameter("send the whole file; this service puts none together from parts")
	}
	body := &sent{Reader: http.MaxBytesReader(a.ResponseWriter, r.Body, s.maxUpload), answer: a}
	saved, made, err := s.app.SaveFile(r.Context(), a.wildcards[0], body, cond)
	switch {
	case body.err != nil:
		return problem.Body(body.err, int(body.bytes))
	case err != nil:
		return fileProblem(err)
	}
	a.readUntil(time.Time{})
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	a.Header().Set("ETag", fileTag(&saved))
	a.Header().Set("Location", s.location("files", saved.Path))
	return a.json(status, saved)
}

// sent is a request body that may take long, as long as data keeps arriving.
type sent struct {
	io.Reader

	answer *answer
	bytes  int64
	err    error
}

// Read implements [io.Reader].
func (b *sent) Read(p []byte) (int, error) {
	b.answer.readUntil(time.Now().Add(bodyTimeout))
	n, err := b.Reader.Read(p)
	b.bytes += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// deleteFile answers DELETE /files/{path}.
func (s *Service) deleteFile(a *answer, r *http.Request) error {
	cond, err := condition(r)
	if err != nil {
		return err
	}
	if err := s.app.DeleteFile(r.Context(), a.wildcards[0], cond); err != nil {
		return fileProblem(err)
	}
	a.WriteHeader(http.StatusNoContent)
	return nil
}

func fileTag(f *run.File) string { return `"` + f.Tag + `"` }

// fileProblem returns the answer to an error of a file that the caller has named. Nodes get other
// codes for the same errors.
func fileProblem(err error) error {
	failed, ok := errors.AsType[*node.Error](err)
	if !ok {
		return err
	}
	switch failed.Code {
	case node.CodeForbidden:
		return problem.New(http.StatusForbidden, problem.CodeForbidden, failed.Message)
	case folder.CodeNotFound:
		return problem.New(http.StatusNotFound, problem.CodeNotFound, failed.Message)
	case node.CodeInvalidInput:
		return problem.New(http.StatusBadRequest, problem.CodeInvalidParameter, failed.Message)
	case node.CodeLimitExceeded:
		return problem.New(http.StatusUnprocessableEntity, problem.CodeLimitExceeded, failed.Message)
	case node.CodeStorageFull:
		return errors.Join(problem.New(http.StatusInsufficientStorage, problem.CodeStorageFull, failed.Message), err)
	}
	return err
}
