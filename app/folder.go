package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/folder"
)

// Errors of operations on the files folder. A bad path is a [node.Error].
var (
	// ErrFileConflict means that a file is not the expected one.
	ErrFileConflict = errors.New("the file is not the expected one; look at it again")
	// ErrFolderInUse means that a folder cannot be deleted, or a file cannot have this path.
	ErrFolderInUse = errors.New("a folder that is not empty has this path, or what has to be a folder is none, or comes and goes; look at what is there")
)

// OpenFile opens a file of the files folder for reading, those of runs among them.
func (a *App) OpenFile(_ context.Context, name string) (*os.File, run.File, error) {
	clean, err := a.cleanFile(name)
	if err != nil {
		return nil, run.File{}, err
	}
	f, info, err := a.files.Open(clean, os.O_RDONLY, 0)
	if absent(err) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, run.File{}, fileError(clean, err)
	}
	return f, fileOf(clean, info), nil
}

// SaveFile saves what r reads as a file of the files folder, completely or not at all, if cond
// holds; its digests are tags of files. made reports whether the file is new. Files of runs cannot
// be changed.
func (a *App) SaveFile(ctx context.Context, name string, r io.Reader, cond workflow.Condition) (saved run.File, made bool, err error) {
	clean, err := a.ownFile(name)
	if err != nil {
		return run.File{}, false, err
	}
	if err := a.expect(clean, cond); err != nil {
		return run.File{}, false, err // before anything of it comes
	}
	unlock := func() {}
	_, err = a.files.Save(clean, func(w io.Writer) error {
		if _, err := io.Copy(w, r); err != nil {
			return err
		}
		unlock = a.putting.Lock(clean)
		_, err := a.files.Files.Stat(clean)
		made = absent(err)
		return errors.Join(ctx.Err(), a.expect(clean, cond))
	})
	defer unlock()
	var info fs.FileInfo
	if err == nil {
		info, err = a.files.Files.Stat(clean)
	}
	switch {
	case absent(err), node.CodeOf(err) == folder.CodeNotFound: // a folder of it has gone meanwhile
		return run.File{}, false, ErrFolderInUse
	case err != nil:
		return run.File{}, false, fileError(clean, err)
	}
	return fileOf(clean, info), made, nil
}

// DeleteFile removes a file of the files folder, or an empty folder, if cond holds. A missing file
// is no error unless cond requires it. Files of runs are deleted with their runs.
func (a *App) DeleteFile(_ context.Context, name string, cond workflow.Condition) error {
	clean, err := a.ownFile(name)
	if err != nil {
		return err
	}
	defer a.putting.Lock(clean)()
	if err := a.expect(clean, cond); err != nil {
		return err
	}
	if err := a.files.Files.Remove(clean); err != nil && !absent(err) {
		return fileError(clean, err)
	}
	return nil
}

// expect checks that cond holds for a file.
func (a *App) expect(clean string, cond workflow.Condition) error {
	if !cond.Absent && len(cond.Match) == 0 {
		return nil
	}
	info, err := a.files.Files.Stat(clean)
	if err != nil && !absent(err) {
		return fileError(clean, err)
	}
	tag := ""
	if err == nil {
		tag = fileOf(clean, info).Tag
	}
	if !cond.Holds(err == nil, tag) {
		return ErrFileConflict
	}
	return nil
}

// cleanFile checks the path of a file.
func (a *App) cleanFile(name string) (string, error) {
	if !a.keepsFiles() {
		return "", ErrNoFiles
	}
	if name == "" {
		return "", node.Errorf(node.CodeInvalidInput, "the path is empty")
	}
	return a.files.Files.Clean(name)
}

// ownFile checks the path of a file to change: files of runs cannot be changed.
func (a *App) ownFile(name string) (string, error) {
	clean, err := a.cleanFile(name)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return "", node.Errorf(node.CodeInvalidInput, "this is the files folder itself; name something in it")
	}
	var none *node.Workspace
	if none.Check(clean) != nil {
		return "", node.Errorf(node.CodeForbidden, "%q is where the files of runs are; they are made by runs and go with them", clean)
	}
	return clean, nil
}

// fileOf describes a file. Its tag changes when the file is replaced (another inode number) or
// written to (another size and time).
func fileOf(name string, info fs.FileInfo) run.File {
	f := run.File{Path: name, Modified: info.ModTime().UTC(), Folder: info.IsDir()}
	if !f.Folder {
		f.Bytes = info.Size()
		f.Tag = fmt.Sprintf("%x-%x-%x", info.Size(), info.ModTime().UnixNano(), fileNumber(info))
	}
	return f
}

// absent reports whether an error means that a path does not exist, or cannot exist because one of
// its folders is a file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// fileError returns the error for the caller who named a file.
func fileError(name string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOTEMPTY), errors.Is(err, syscall.EEXIST), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		return ErrFolderInUse
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.EILSEQ):
		return node.Errorf(node.CodeInvalidInput, "the path cannot be used here: it has a name that is too long, or characters that file systems do not take")
	}
	return folder.Failure(name, err)
}

// Files lists a folder of the files folder, page by page.
func (a *App) Files(ctx context.Context, q run.FileQuery) (run.FilePage, error) {
	page := run.FilePage{Items: []run.File{}}
	dir := "."
	if q.Dir != "" {
		var err error
		if dir, err = a.cleanFile(q.Dir); err != nil {
			return page, err
		}
	}
	names, more, err := a.namesIn(ctx, dir, q)
	if err != nil {
		switch {
		case dir == "." && absent(err):
			return page, nil // nothing was ever put there
		case absent(err):
			err = fs.ErrNotExist
		}
		return page, fileError(dir, err)
	}
	for _, name := range names {
		at := path.Join(dir, name)
		info, err := a.files.Files.Stat(at)
		if err == nil && (info.IsDir() || info.Mode().IsRegular()) {
			page.Items = append(page.Items, fileOf(at, info))
		}
	}
	if more {
		page.NextCursor = names[len(names)-1]
	}
	return page, nil
}

// namesIn returns the first names in a folder after a cursor, sorted, and whether there are more.
// It holds few names in memory, even of a large folder.
func (a *App) namesIn(ctx context.Context, dir string, q run.FileQuery) (names []string, more bool, err error) {
	if !a.keepsFiles() {
		return nil, false, ErrNoFiles
	}
	info, err := a.files.Files.Stat(dir)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return nil, false, node.Errorf(node.CodeInvalidInput, "%q is a file; name a folder", dir)
	}
	f, err := a.files.Files.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	most := run.MaxFiles
	if q.Limit > 0 {
		most = min(q.Limit, most)
	}
	for ctx.Err() == nil {
		entries, err := f.ReadDir(run.MaxFiles)
		for _, e := range entries {
			if e.Name() > q.Cursor && !durable.IsTemp(e.Name()) {
				names = append(names, e.Name())
			}
		}
		slices.SortFunc(names, strings.Compare)
		if len(names) > most {
			names, more = names[:most], true
		}
		if errors.Is(err, io.EOF) {
			return names, more, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return nil, false, ctx.Err()
}
