package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
)

// uploadsDir is where in the files folder of a server lies what svc run has sent.
const uploadsDir = "uploads"

// giver brings a file of this machine to where a run can read it, and returns its path there.
type giver func(f *os.File) (path string, err error)

// here leaves a file where it is.
func here(f *os.File) (string, error) { return filepath.ToSlash(f.Name()), nil }

// saver is a files folder: that of a server, or of an App.
type saver func(ctx context.Context, path string, r io.Reader, cond workflow.Condition) (run.File, error)

func savedBy(a *app.App) saver {
	return func(ctx context.Context, path string, r io.Reader, cond workflow.Condition) (run.File, error) {
		f, _, err := a.SaveFile(ctx, path, r, cond)
		return f, err
	}
}

// sending brings files into a files folder, each once: what it is called there says what is in
// it.
func (c *runCmd) sending(ctx context.Context, h *host, save saver) giver {
	return func(f *os.File) (string, error) {
		digest := sha256.New()
		size, err := io.Copy(digest, f)
		if err != nil {
			return "", err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		name := filepath.Base(f.Name())
		at := uploadsDir + "/" + hex.EncodeToString(digest.Sum(nil)[:16]) + "/" + name
		_, err = save(ctx, at, &sized{f, size}, workflow.Condition{Absent: true})
		switch {
		case errors.Is(err, workflow.ErrConflict), errors.Is(err, app.ErrFileConflict):
			return at, nil // it is there
		case err != nil:
			return "", err
		}
		if !c.Quiet {
			h.errorf("sent %s (%s)", name, view.Bytes(size))
		}
		return at, nil
	}
}

// sized is a reader that tells how much there is to read.
type sized struct {
	io.Reader

	size int64
}

// Len returns how much there was at the beginning.
func (s *sized) Len() int { return int(s.size) }

// mediaOf returns what a port of type t gets for a file.
func mediaOf(t value.Type, name string, give giver) (value.Media, error) {
	f, err := os.Open(name)
	if err != nil {
		return value.Media{}, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	typ, err := typeOf(f)
	if err != nil {
		return value.Media{}, err
	}
	m := value.Media{Kind: app.MediaKind(typ), MIME: typ}
	if kinds := t.Members(); len(kinds) == 1 {
		m.Kind = kinds[0] // what it really is, the node says that reads it
	}
	m.Path, err = give(f)
	return m, err
}

// addMedia adds a file to a list of media.
func addMedia(given map[string]any, input string, elem value.Type, name string, give giver) error {
	list, ok := given[input].([]any)
	if _, other := given[input]; other && !ok {
		return usagef("the input %q is given twice", input)
	}
	m, err := mediaOf(elem, name, give)
	given[input] = append(list, m)
	return err
}

// typeOf returns the MIME type of a file: that of its ending, or of how it begins.
func typeOf(f *os.File) (string, error) {
	typ := mime.TypeByExtension(strings.ToLower(filepath.Ext(f.Name())))
	if typ == "" {
		const telling = 512
		head := make([]byte, telling)
		n, err := io.ReadFull(f, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return "", err
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		typ = http.DetectContentType(head[:n])
	}
	typ, _, _ = mime.ParseMediaType(typ) // without parameters; both have made it themselves
	return typ, nil
}

var _ saver = (*client.Client)(nil).Upload
