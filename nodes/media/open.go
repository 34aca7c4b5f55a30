package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store/durable"
)

// open opens a source, which has to be a regular file, and tells its size and time.
func (t *Tools) open(name string) (*os.File, Source, error) {
	if name == "" {
		return nil, Source{}, refused("the path is empty")
	}
	clean, err := t.Files.Clean(name)
	if err != nil {
		return nil, Source{}, err
	}
	if info, err := t.Files.Stat(clean); err == nil && !info.Mode().IsRegular() {
		return nil, Source{}, node.Errorf(node.CodeForbidden, "%q is no regular file", clean)
	}
	f, err := t.Files.OpenFile(clean, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Source{}, fileFailure(clean, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = node.Errorf(node.CodeForbidden, "%q is no regular file", clean)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, Source{}, fileFailure(clean, err)
	}
	return f, Source{Path: clean, Size: info.Size(), Time: info.ModTime().UnixMicro()}, nil
}

// openAs opens the source of a recipe, if it is still the file that was looked at.
func (t *Tools) openAs(s *Source) (*os.File, error) {
	f, now, err := t.open(s.Path)
	if err != nil {
		return nil, err
	}
	if now.Size != s.Size || now.Time != s.Time {
		_ = f.Close() // nothing was written
		return nil, coded(codeChanged, "%q has changed since the run looked at it; run the workflow again from the node that imports it", s.Path)
	}
	return f, nil
}

// fileFailure words an error of the file system with the path as the workflow knows it.
func fileFailure(name string, err error) error {
	var known *node.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return coded(codeNotFound, "there is no file %q", name)
	case errors.Is(err, fs.ErrPermission):
		return node.Errorf(node.CodeForbidden, "%q: permission denied; Svc's user may not use this path", name)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return coded(node.CodeStorageFull, "%q: the disk is full", name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return node.Errorf(node.CodeFailed, "%q: %w", name, err)
}

// save makes what r reads the file name: all of it, or nothing.
func (t *Tools) save(name string, r io.Reader) error {
	if err := t.Files.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fileFailure(path.Dir(name), err)
	}
	if info, err := t.Files.Stat(name); err == nil && !info.Mode().IsRegular() {
		return node.Errorf(node.CodeForbidden, "%q is no regular file", name)
	}
	pending, err := durable.WriteFrom(name, r, durable.Options{Perm: 0o644, In: t.Files})
	if err == nil {
		err = pending.Commit()
	}
	if err != nil {
		return fileFailure(name, err)
	}
	return nil
}

// Place returns the name of a file: the one that was asked for, or one among the files of
// the run.
func (t *Tools) Place(ctx context.Context, asked, ending string) (string, error) {
	if t.Files == nil {
		return "", node.Errorf(node.CodeForbidden, "workflows may not use files here")
	}
	if asked != "" {
		return t.Files.Clean(asked)
	}
	run, at, found := strings.Cut(node.Key(ctx), "/")
	if !found {
		run, at = "none", "result"
	}
	return t.Files.Clean(".runs/" + plain(run) + "/" + plain(at) + "." + ending)
}

// plain returns a text as part of the name of a file. What is not plain in it is told apart
// by a number made of it.
func plain(text string) string {
	const most = 100
	kept := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, text)
	if kept == text && len(text) <= most {
		return text
	}
	return kept[:min(len(kept), most)] + "-" + digest(text)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
