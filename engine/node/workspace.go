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

// RunsDir is the folder, below the files folder, in which the files of runs are: those that
// came with what started a run, and those that nodes make without being told where.
const RunsDir = ".runs"

// Workspace is where the files of a run are. They are kept as long as the run is.
type Workspace struct {
	// Dir is the folder of the run's own files, by its path in the files folder.
	Dir string
	// Earlier are the folders of the runs that it goes on with.
	Earlier []string

	scratch atomic.Bool // somebody has asked for it
}

// NewWorkspace returns that of a run, which goes on with others.
func NewWorkspace(runID string, earlier ...string) *Workspace {
	w := &Workspace{Dir: RunsDir + "/" + runID} // an id is a clean name
	for _, id := range earlier {
		w.Earlier = append(w.Earlier, RunsDir+"/"+id)
	}
	return w
}

type workspaceKey struct{}

// WithWorkspace returns a context whose nodes have a workspace.
func WithWorkspace(ctx context.Context, w *Workspace) context.Context {
	return context.WithValue(ctx, workspaceKey{}, w)
}

// WorkspaceOf returns where the files of the run of ctx are; nil if they are nowhere, as
// outside a server.
func WorkspaceOf(ctx context.Context) *Workspace {
	w, _ := ctx.Value(workspaceKey{}).(*Workspace)
	return w
}

// Check says why nodes of the run may not use a path of the files folder, which is clean: it
// is where files of another run are. nil is the workspace of no run.
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

// File returns the path of a file that the node called with ctx makes, such as one of the
// ending ".mp4": the same for every attempt, and no other node's.
func (w *Workspace) File(ctx context.Context, ending string) string {
	_, at, _ := strings.Cut(Key(ctx), "/")
	return path.Join(w.Dir, fileName(at)+ending)
}

// ScratchName is the folder, among the files of a run, for what its nodes need while they work.
const ScratchName = ".scratch"

// Scratch returns the folder in which the node called with ctx may keep what it needs while it
// works; who uses it makes it. It goes when the run ends; after a crash, at the next start.
func (w *Workspace) Scratch(ctx context.Context) string {
	w.scratch.Store(true)
	_, at, _ := strings.Cut(Key(ctx), "/")
	return path.Join(w.Dir, ScratchName, fileName(at))
}

// Scratched reports whether a node has asked for its scratch folder.
func (w *Workspace) Scratched() bool { return w.scratch.Load() }

// longestFileName is how long a name made of a node's path may be.
const longestFileName = 150

// fileName makes a name of any text; different ones of different texts.
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
