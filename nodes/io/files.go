package ionode

import (
	"context"
	"path"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// Files is the part of a file system that workflows may use.
type Files = folder.Files

// disk carries the file nodes.
type disk struct{ folder.Disk }

// permanent returns an error that another attempt will not change.
func permanent(code, format string, args ...any) error {
	err := node.Errorf(code, format, args...)
	err.Permanent = true
	return err
}

type resolveIn struct {
	BaseDir      string `port:"base_dir" doc:"Directory to start from."`
	RelativePath string `port:"relative_path" doc:"Path below it."`
}

type resolveOut struct {
	ResolvedPath string `port:"resolved_path" doc:"Both joined, without . and .. in between."`
}

// resolveNode returns the node io.resolve_path.
func (d disk) resolveNode() node.Node {
	return node.Func("io.resolve_path", "Resolve path", d.resolve).
		Aliases("join path, file name, relative", "pfad, dateiname, zusammensetzen").
		Example(map[string]any{"base_dir": "reports"}).Doc(
		"Joins a directory and a path and removes `.` and `..`. It looks at names only, not at the disk. An absolute " +
			"`relative_path` stands for itself. On a server a path that leaves the files folder is refused with the code `forbidden`.\n\n" +
			"Example: `base_dir` = `reports/2026`, `relative_path` = `../index.txt` gives `reports/index.txt`.")
}

func (d disk) resolve(ctx context.Context, in resolveIn) (resolveOut, error) {
	name := in.RelativePath
	if !path.IsAbs(name) {
		name = path.Join(in.BaseDir, name)
	}
	resolved, err := d.In(ctx).Clean(name)
	return resolveOut{resolved}, err
}
