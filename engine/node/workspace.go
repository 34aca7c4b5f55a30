package node

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
)

// RunsDir is the folder below the files folder that holds the files of runs: uploads that
// came with a firing, and files that nodes make without an explicit path.
const RunsDir = ".runs"

// Workspace is the folders with the files of a run. The files are kept as long as the run.
type Workspace struct {
	// Dir is the folder of the run's own files, relative to the files folder.
	Dir string
	// Earlier are the folders of the runs that this run resumes.
	Earlier []string

	scratch atomic.Bool // set once a node asks for its scratch folder
}

// NewWorkspace returns the workspace of a run that resumes earlier ones.
func NewWorkspace(runID string, earlier ...string) *Workspace {
	w := &Workspace{Dir: RunsDir + "/" + runID} // an id is a valid file name
	for _, id := range earlier {
		w.Earlier = append(w.Earlier, RunsDir+"/"+id)
	}
	return w
}

type workspaceKey struct{}

// WithWorkspace returns a context that carries w to nodes.
func WithWorkspace(ctx context.Context, w *Workspace) context.Context {
	return context.WithValue(ctx, workspaceKey{}, w)
}

// WorkspaceOf returns the workspace of the run of ctx, or nil if it has none, as outside a
// server.
func WorkspaceOf(ctx context.Context) *Workspace {
	w, _ := ctx.Value(workspaceKey{}).(*Workspace)
	return w
}

// Check returns an error if nodes of the run may not use a path of the files folder,
// because files of another run are there. name must be clean. A nil Workspace belongs to no
// run.
func (w *Workspace) Check(name string) error {
	first, _, _ := strings.Cut(name, "/")
	if !strings.EqualFold(first, RunsDir) {
		return nil
	}
	if w != nil {
		for _, dir := range append([]string{w.Dir}, w.Earlier...) {
			if name == dir || strings.HasPrefix(name, dir+"/") {
				return nil
			}
		}
	}
	return Errorf(CodeForbidden, "%q is where the files of runs are; a workflow sees those of its own run only", name)
}

// File returns the path of a file that the node called with ctx makes, with an extension
// such as ".mp4". It is the same for every attempt and differs between nodes.
func (w *Workspace) File(ctx context.Context, ending string) string {
	_, at, _ := strings.Cut(Key(ctx), "/")
	return path.Join(w.Dir, fileName(at)+ending)
}

// ScratchName is the folder of a run's files for temporary files of its nodes.
const ScratchName = ".scratch"

// Scratch returns the folder for temporary files of the node called with ctx. The node must
// create it. It is removed when the run ends or, after a crash, at the next start.
func (w *Workspace) Scratch(ctx context.Context) string {
	w.scratch.Store(true)
	_, at, _ := strings.Cut(Key(ctx), "/")
	return path.Join(w.Dir, ScratchName, fileName(at))
}

// Scratched reports whether a node has asked for its scratch folder.
func (w *Workspace) Scratched() bool { return w.scratch.Load() }

// longestFileName is the maximum length of a file name made from a node's path.
const longestFileName = 150

// fileName converts any text to a file name. Different texts give different names.
func fileName(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "~%02x", c)
		}
	}
	if b.Len() > longestFileName {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	return b.String()
}
