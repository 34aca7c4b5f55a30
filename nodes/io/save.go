package ionode

import (
	"context"
	"io"
	"net/http"
	"path"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/nodes/folder"
)

// save sends m and streams the answer into a file. The answer of a failed request is read
// into memory instead, since it says what is wrong.
func (r *request) save(ctx context.Context, m *message) (requestOut, error) {
	name, err := r.files.In(ctx).Clean(r.in.SaveTo)
	if err != nil {
		return requestOut{}, err
	}
	resp, err := r.open(ctx, m, r.in.FollowRedirects)
	if err != nil {
		return requestOut{}, err
	}
	defer resp.Body.Close()
	a := newAnswer(resp, nil)
	if a.ok() {
		err = r.keep(ctx, m, resp, name)
	} else {
		a, err = receive(ctx, m, resp, min(r.in.MaxBytes, highestMaxBytes))
	}
	if err != nil {
		return requestOut{}, err
	}
	return r.finish(ctx, m, a)
}

// keep writes the body of resp to the file name. The file is complete or not changed.
func (r *request) keep(ctx context.Context, m *message, resp *http.Response, name string) error {
	limit := r.in.MaxBytes
	if resp.ContentLength > int64(limit) && m.method != http.MethodHead {
		return tooLarge("the answer of "+m.where(), limit)
	}
	perm, err := r.files.Permissions(name)
	if err != nil {
		return folder.Failure(name, err)
	}
	if err := r.files.Files.MkdirAll(path.Dir(name), 0o755); err != nil {
		return folder.Failure(path.Dir(name), err)
	}
	body := &bounded{r: resp.Body, left: limit}
	pending, err := durable.WriteFrom(name, body, durable.Options{Perm: perm, In: r.files.Files})
	switch {
	case body.exceeded:
		return tooLarge("the answer of "+m.where(), limit)
	case body.err != nil:
		return unanswered(ctx, m, body.err)
	case err != nil:
		return folder.Failure(name, err)
	}
	return folder.Failure(name, pending.Commit())
}

// bounded reads r, and fails after more than left bytes. It remembers the error of r, to
// tell it from errors of the writer.
type bounded struct {
	r        io.Reader
	left     int
	exceeded bool
	err      error
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= n; b.left < 0 {
		b.exceeded = true
		return 0, io.ErrShortWrite
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}
