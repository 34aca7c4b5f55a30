package media

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// disk is what a node of a run reads from and writes to.
func (t *Tools) disk(ctx context.Context) folder.Disk { return folder.Disk{Files: t.Files}.In(ctx) }

// open opens a source, which has to be a regular file, and tells its size and time.
func (t *Tools) open(ctx context.Context, name string) (*os.File, Source, error) {
	d := t.disk(ctx)
	clean, err := d.Clean(name)
	if err != nil {
		return nil, Source{}, err
	}
	f, info, err := d.Open(clean, os.O_RDONLY, 0)
	if err != nil {
		return nil, Source{}, d.Failed(clean, err)
	}
	return f, Source{Path: clean, Size: info.Size(), Time: info.ModTime().UnixMicro()}, nil
}

// openAs opens the source of a recipe, if it is still the file that was looked at.
func (t *Tools) openAs(ctx context.Context, s *Source) (*os.File, error) {
	f, now, err := t.open(ctx, s.Path)
	if err != nil {
		return nil, err
	}
	if now.Size != s.Size || now.Time != s.Time {
		_ = f.Close() // nothing was written
		return nil, coded(codeChanged, "%q has changed since the run looked at it; run the workflow again from the node that imports it", s.Path)
	}
	return f, nil
}

// save makes what r reads the file name: all of it, or nothing.
func (t *Tools) save(ctx context.Context, name string, r io.Reader) error {
	_, err := t.disk(ctx).Save(name, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
	return err
}

// Place returns the name of a file: the one that was asked for, or one among the files of
// the run.
func (t *Tools) Place(ctx context.Context, asked, ending string) (string, error) {
	if t.Files == nil {
		return "", node.Errorf(node.CodeForbidden, "workflows may not use files here")
	}
	if asked != "" {
		return t.disk(ctx).Clean(asked)
	}
	w := node.WorkspaceOf(ctx)
	if w == nil { // outside a server
		run, _, _ := strings.Cut(node.Key(ctx), "/")
		w = node.NewWorkspace(cmp.Or(run, "none"))
	}
	return t.disk(ctx).Clean(w.File(ctx, "."+ending))
}
