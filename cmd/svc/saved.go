package main

import (
	"context"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/folder"
)

// fetcher writes a file of a run to w.
type fetcher func(ctx context.Context, path string, w io.Writer) error

// saveHere is saveAll for a run on this machine. Without --save it prints a line if files of
// the run are deleted after it.
func (c *runCmd) saveHere(ctx context.Context, h *host, l *localRun, outputs map[string]any) error {
	passes := func(name string) bool { return strings.HasPrefix(name, node.RunsDir+"/") }
	if c.Save == "" && !c.Quiet && !c.Sandbox && l.passing && slices.ContainsFunc(filesIn(nil, outputs), passes) {
		h.errorf("the files of this run are not kept; --save DIR puts them there")
	}
	if c.Save == "" {
		return nil
	}
	fetch, err := c.fetchHere(l)
	if err != nil {
		return err
	}
	return c.saveAll(ctx, h, outputs, fetch)
}

// fetchHere returns a fetcher for a run on this machine.
func (c *runCmd) fetchHere(l *localRun) (fetcher, error) {
	env, err := nodes.Local(nodes.Policy{FilesDir: ".", RunsDir: l.kept})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, name string, w io.Writer) error {
		open := func() (*os.File, error) { return env.Files.OpenFile(name, os.O_RDONLY, 0) }
		if c.Sandbox {
			open = func() (*os.File, error) {
				f, _, err := l.app.OpenFile(ctx, name)
				return f, err
			}
		}
		f, err := open()
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // it is only read
		_, err = io.Copy(w, f)
		return err
	}, nil
}

// saveAll copies the files among the outputs into the directory of --save. Each is named after
// its output.
func (c *runCmd) saveAll(ctx context.Context, h *host, outputs map[string]any, fetch fetcher) error {
	if c.Save == "" {
		return nil
	}
	env, err := nodes.Local(nodes.Policy{FilesDir: c.Save})
	if err != nil {
		return err
	}
	disk := folder.Disk{Files: env.Files}
	for _, output := range slices.Sorted(maps.Keys(outputs)) {
		paths := filesIn(nil, outputs[output])
		for i, from := range paths {
			name := safeOutput(output)
			if len(paths) > 1 {
				name += "-" + strconv.Itoa(i+1)
			}
			name += path.Ext(from)
			n, err := disk.Save(name, func(w io.Writer) error { return fetch(ctx, from, w) })
			if err != nil {
				return err
			}
			if !c.Quiet {
				h.errorf("saved %s (%s)", filepath.Join(c.Save, name), view.Bytes(int64(n)))
			}
		}
	}
	return nil
}

// filesIn adds the paths of files in a value to paths, each once: media with a path, and texts
// that are the path of a file of a run.
func filesIn(paths []string, v any) []string {
	found := ""
	switch v := v.(type) {
	case value.Media:
		found = v.Path
	case string:
		if strings.HasPrefix(v, node.RunsDir+"/") {
			found = v
		}
	case []any:
		for _, e := range v {
			paths = filesIn(paths, e)
		}
	case map[string]any:
		if m, err := value.Conform(v, value.MediaType()); err == nil {
			return filesIn(paths, m)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			paths = filesIn(paths, v[name])
		}
	}
	if found != "" && !slices.Contains(paths, found) {
		paths = append(paths, found)
	}
	return paths
}

// safeOutput turns the name of an output into a file name.
func safeOutput(name string) string {
	safe := strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, name)
	return strings.TrimLeft(safe, ".")
}
