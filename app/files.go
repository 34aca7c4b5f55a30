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

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/folder"
)

// mostRunFiles is the number of files of a run that RunFiles lists.
const mostRunFiles = 10_000

// keepsFiles reports whether runs have files of their own.
func (a *App) keepsFiles() bool { return a.files.Files != nil }

// RunFiles lists the files of a recorded run, sorted by path.
func (a *App) RunFiles(ctx context.Context, runID string) ([]run.File, error) {
	if _, err := a.Record(ctx, runID); err != nil {
		return nil, err
	}
	found := []run.File{}
	if !a.keepsFiles() {
		return found, nil
	}
	dir := path.Join(node.RunsDir, runID)
	scratch := path.Join(dir, node.ScratchName) + "/"
	err := a.walk(dir, func(name string, info fs.FileInfo) {
		if info.Mode().IsRegular() && len(found) < mostRunFiles && !strings.HasPrefix(name, scratch) {
			found = append(found, run.File{Path: name, Bytes: info.Size(), Modified: info.ModTime().UTC()})
		}
	})
	slices.SortFunc(found, func(x, y run.File) int { return strings.Compare(x.Path, y.Path) })
	return found, err
}

// walk visits everything below a folder, each folder after its contents. A missing folder is no
// error.
func (a *App) walk(dir string, visit func(name string, info fs.FileInfo)) error {
	f, err := a.files.Files.OpenFile(dir, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	_ = f.Close() // it was only read
	for _, e := range entries {
		info, failed := e.Info()
		if failed != nil {
			continue // it has gone
		}
		name := path.Join(dir, e.Name())
		if info.IsDir() {
			err = errors.Join(err, a.walk(name, visit))
		}
		visit(name, info)
	}
	return err
}

// removeFiles removes the files of a run.
func (a *App) removeFiles(runID string) error {
	if !a.keepsFiles() {
		return nil
	}
	return a.removeDir(path.Join(node.RunsDir, runID))
}

// removeDir removes a folder and its contents. A missing folder is no error.
func (a *App) removeDir(dir string) error {
	var failures error
	err := a.walk(dir, func(name string, _ fs.FileInfo) {
		failures = errors.Join(failures, a.files.Files.Remove(name))
	})
	if gone := a.files.Files.Remove(dir); !errors.Is(gone, fs.ErrNotExist) {
		failures = errors.Join(failures, gone)
	}
	return errors.Join(err, failures)
}

// ErrNoFiles means that the service keeps no files.
var ErrNoFiles = errors.New("this service keeps no files of runs")

// takeFiles saves uploaded files as files of the run that they start.
func (a *App) takeFiles(runID string, files []node.Upload) error {
	if len(files) > 0 && !a.keepsFiles() {
		return ErrNoFiles
	}
	for i := range files {
		f := &files[i]
		at := path.Join(node.RunsDir, runID, fmt.Sprintf("%d-%s", i+1, safeName(f.Name)))
		_, err := a.files.Save(at, func(w io.Writer) error {
			_, err := w.Write(f.Data)
			return err
		})
		if err != nil {
			return errors.Join(err, a.removeFiles(runID))
		}
		f.Put(value.Media{Kind: MediaKind(f.MIME), MIME: f.MIME, Path: at})
	}
	return nil
}

// dropFiles removes the files of a run that was not enqueued.
func (a *App) dropFiles(runID string) {
	if err := a.removeFiles(runID); err != nil {
		a.log.Warn("files that came with a call cannot be removed", "run", runID, "error", err)
	}
}

// longestSafeName is the number of characters kept of the name of an uploaded file.
const longestSafeName = 60

// safeName makes the name of an uploaded file valid on every file system. It keeps the end, which
// has the extension.
func safeName(name string) string {
	safe := strings.Map(func(c rune) rune {
		if c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			return c
		}
		return '_'
	}, path.Base(name))
	return safe[max(0, len(safe)-longestSafeName):]
}

// MediaKind returns the kind of media of a MIME type.
func MediaKind(mime string) string {
	kind, _, _ := strings.Cut(mime, "/")
	if kind == "image" || kind == "audio" || kind == "video" {
		return kind
	}
	return "file"
}

// shared returns the disk for files of runs, or a zero disk if runs have none.
func shared(files folder.Files) folder.Disk {
	if _, ok := files.(folder.Shared); ok {
		return folder.Disk{Files: files}
	}
	return folder.Disk{}
}
