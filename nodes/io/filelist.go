package ionode

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

type listIn struct {
	Dir       string `port:"dir" default:"." doc:"The directory."`
	Pattern   string `port:"pattern" default:"*" doc:"Which names to list: * stands for any text, ? for one character, [a-z] for one of these."`
	Recursive bool   `port:"recursive" default:"false" doc:"List the directories below, too."`
}

type listOut struct {
	Files []listed `port:"files" doc:"What was found, sorted by path."`
	Count int      `port:"count" doc:"How many that are."`
}

type listed struct {
	Path     string `port:"path"`
	Bytes    int    `port:"bytes"`
	Modified string `port:"modified"`
	Dir      bool   `port:"dir"`
}

// maxListed is how many files one node lists.
const maxListed = 10_000

// listNode returns the node io.file_list.
func (d disk) listNode() node.Node {
	return node.Func("io.file_list", "List files", d.list).
		Aliases("directory, folder, dir, ls", "verzeichnis, ordner, dateien auflisten").
		Example(map[string]any{"pattern": "*.txt"}).Doc(
		"Lists files and directories whose name matches a pattern, up to 10,000. `path` can go straight into *Read file*; " +
			"`modified` is RFC 3339 in UTC. Links to directories are not followed; pipes, sockets, devices, links that lead " +
			"nowhere or outside, and names that are not UTF-8 are left out.\n\n" +
			"Example: `dir` = `reports`, `pattern` = `*.csv`.")
}

func (d disk) list(ctx context.Context, in listIn) (listOut, error) {
	if _, err := path.Match(in.Pattern, ""); err != nil {
		return listOut{}, node.Errorf(node.CodeInvalidInput, "the pattern %q is malformed; a [ needs its ]", in.Pattern)
	}
	d.Disk = d.In(ctx)
	dir, err := d.Clean(in.Dir)
	if err != nil {
		return listOut{}, err
	}
	w := walk{disk: d, pattern: in.Pattern, recursive: in.Recursive, todo: []string{dir}}
	if err := w.run(ctx); err != nil {
		return listOut{}, err
	}
	slices.SortFunc(w.found, func(a, b listed) int { return strings.Compare(a.Path, b.Path) })
	return listOut{Files: w.found, Count: len(w.found)}, nil
}

// walk visits directories without recursion, so that deep trees cost no call stack.
type walk struct {
	disk

	pattern   string
	recursive bool
	todo      []string
	found     []listed
}

func (w *walk) run(ctx context.Context) error {
	for first := true; len(w.todo) > 0; first = false {
		dir := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		err := w.visit(ctx, dir)
		switch {
		case err == nil:
		case errors.Is(err, fs.ErrNotExist) && (!first || dir == "."):
			// It was removed during the walk, or was never created.
		default:
			return folder.Failure(dir, err)
		}
	}
	return nil
}

func (w *walk) visit(ctx context.Context, dir string) error {
	if info, err := w.Files.Stat(dir); err != nil || !info.IsDir() {
		if err == nil {
			err = node.Errorf(node.CodeInvalidInput, "%q is no directory", dir)
		}
		return err
	}
	f, err := w.Files.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := f.ReadDir(256)
		for _, e := range entries {
			if err := w.take(path.Join(dir, e.Name()), e); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// take lists one entry if it matches.
func (w *walk) take(name string, e fs.DirEntry) error {
	if !utf8.ValidString(name) || durable.IsTemp(e.Name()) || w.Check(name) != nil {
		return nil
	}
	if e.IsDir() && w.recursive {
		w.todo = append(w.todo, name)
	}
	if ok, _ := path.Match(w.pattern, e.Name()); !ok {
		return nil
	}
	info, err := w.info(name, e)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return nil // a dangling link
	}
	if len(w.found) == maxListed {
		return permanent(node.CodeLimitExceeded, "there are more than %d files; use a narrower pattern or directory", maxListed)
	}
	item := listed{Path: name, Modified: info.ModTime().UTC().Format(time.RFC3339), Dir: info.IsDir()}
	if !item.Dir {
		item.Bytes = int(info.Size())
	}
	w.found = append(w.found, item)
	return nil
}

// info describes an entry; for a link, its target.
func (w *walk) info(name string, e fs.DirEntry) (fs.FileInfo, error) {
	if e.Type()&fs.ModeSymlink != 0 {
		return w.Files.Stat(name)
	}
	return e.Info()
}
