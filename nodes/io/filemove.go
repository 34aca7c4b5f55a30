package ionode

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

type copyIn struct {
	From      string `port:"from" widget:"file" doc:"The file."`
	To        string `port:"to" widget:"file" doc:"The new file. Directories that are missing are created."`
	Overwrite bool   `port:"overwrite" default:"false" doc:"Replace the new file if it exists; otherwise that is a failure."`
}

type copyOut struct {
	Path  string `port:"path" doc:"The new file, as the other file nodes take it."`
	Bytes int    `port:"bytes" doc:"Size of the file."`
}

// codeExists means that a file is in the way.
const codeExists = "conflict"

// copyNode returns the node io.file_copy.
func (d disk) copyNode() node.Node {
	return node.Func("io.file_copy", "Copy file", d.copyFile).
		Aliases("duplicate file, cp", "datei kopieren, duplizieren").
		Example(map[string]any{"from": "report.csv", "to": "archive/report.csv"}).Doc(
		"Copies a file. The new file is complete or not there. A file that exists fails with `conflict`, unless `overwrite` is true; " +
			"a missing one with `not_found`. Directories cannot be copied.\n\n" +
			"On a server paths are relative to its files folder, else to the working directory.")
}

func (d disk) copyFile(ctx context.Context, in copyIn) (copyOut, error) {
	d.Disk = d.In(ctx)
	from, to, err := d.fromTo(in)
	if err != nil {
		return copyOut{}, err
	}
	n, err := d.copyTo(ctx, from, to)
	return copyOut{to, n}, err
}

// fromTo checks the paths of a copy or a move.
func (d disk) fromTo(in copyIn) (from, to string, err error) {
	if from, err = d.Clean(in.From); err != nil {
		return "", "", err
	}
	if to, err = d.Clean(in.To); err != nil {
		return "", "", err
	}
	source, err := d.Files.Stat(from)
	if err != nil {
		return "", "", d.Failed(from, err)
	}
	if !source.Mode().IsRegular() {
		return "", "", folder.NotRegular(from, source)
	}
	target, err := d.Files.Stat(to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return from, to, nil
	case err != nil:
		return "", "", folder.Failure(to, err)
	case !target.Mode().IsRegular():
		return "", "", folder.NotRegular(to, target)
	case os.SameFile(source, target):
		return "", "", permanent(node.CodeInvalidInput, "from and to are the same file, %q", to)
	case !in.Overwrite:
		return "", "", permanent(codeExists, "%q exists; set overwrite to replace it", to)
	}
	return from, to, nil
}

func (d disk) copyTo(ctx context.Context, from, to string) (int, error) {
	f, _, err := d.Open(from, os.O_RDONLY, 0)
	if err != nil {
		return 0, d.Failed(from, err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	return d.Save(to, func(w io.Writer) error {
		_, err := io.Copy(w, &whileRunning{ctx, f})
		if err != nil && ctx.Err() == nil {
			return folder.Failure(from, err)
		}
		return err
	})
}

// whileRunning is a reader that ends with its context.
type whileRunning struct {
	ctx context.Context //nolint:containedctx // of the one call that reads
	r   io.Reader
}

// Read implements [io.Reader].
func (w *whileRunning) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}

type moveOut struct {
	Path   string `port:"path" doc:"The new file, as the other file nodes take it."`
	Atomic bool   `port:"atomic" doc:"Whether the file was renamed. On another disk it is copied and then deleted."`
}

// moveNode returns the node io.file_move.
func (d disk) moveNode() node.Node {
	return node.Func("io.file_move", "Move file", d.moveFile).Once().
		Aliases("rename file, mv", "datei verschieben, umbenennen").
		Example(map[string]any{"from": "inbox/report.csv", "to": "done/report.csv"}).Doc(
		"Moves or renames a file. It is atomic: others see the file under the old name or the new one. If both names are on different disks, it is copied " +
			"and then deleted, and `atomic` is false. A file that exists fails with `conflict`, unless `overwrite` is true; a missing one with " +
			"`not_found`. Directories cannot be moved.\n\n" +
			"On a server paths are relative to its files folder, else to the working directory.")
}

func (d disk) moveFile(ctx context.Context, in copyIn) (moveOut, error) {
	d.Disk = d.In(ctx)
	from, to, err := d.fromTo(in)
	if err != nil {
		return moveOut{}, err
	}
	if err := d.Files.MkdirAll(path.Dir(to), 0o755); err != nil {
		return moveOut{}, folder.Failure(path.Dir(to), err)
	}
	err = d.Files.Rename(from, to)
	if err == nil {
		return moveOut{to, true}, nil
	}
	if !errors.Is(err, syscall.EXDEV) {
		return moveOut{}, folder.Failure(from, err)
	}
	if _, err := d.copyTo(ctx, from, to); err != nil {
		return moveOut{}, err
	}
	if err := d.Files.Remove(from); err != nil {
		return moveOut{}, node.Errorf(node.CodeFailed, "%q was copied to %q, but cannot be deleted: %w", from, to, folder.Failure(from, err))
	}
	return moveOut{to, false}, nil
}

type deleteIn struct {
	Path    string `port:"path" widget:"file" doc:"The file."`
	Missing string `port:"missing" enum:"fail|pass" default:"fail" doc:"What to do if the file does not exist: fail, or pass, with deleted false."`
}

type deleteOut struct {
	Deleted bool `port:"deleted" doc:"Whether there was such a file."`
}

// deleteNode returns the node io.file_delete.
func (d disk) deleteNode() node.Node {
	return node.Func("io.file_delete", "Delete file", d.deleteFile).Once().
		Aliases("remove file, rm, unlink", "datei löschen, entfernen").
		Example(map[string]any{"path": "old.csv", "missing": "pass"}).Doc(
		"Deletes a file for good. A file that does not exist fails with `not_found`, unless `missing` is `pass`. Directories cannot be deleted.\n\n" +
			"On a server paths are relative to its files folder, else to the working directory.")
}

func (d disk) deleteFile(ctx context.Context, in deleteIn) (deleteOut, error) {
	d.Disk = d.In(ctx)
	name, err := d.Clean(in.Path)
	if err != nil {
		return deleteOut{}, err
	}
	info, err := d.Files.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		return deleteOut{}, folder.NotRegular(name, info)
	}
	if err == nil {
		err = d.Files.Remove(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && in.Missing == "pass":
		return deleteOut{}, nil
	case err != nil:
		return deleteOut{}, d.Failed(name, err)
	}
	return deleteOut{true}, nil
}
