package runtext

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// CheckLast refuses what is not the last frame of a run.
func CheckLast(f *run.Frame) error {
	if !f.Name.Terminal() {
		return fmt.Errorf("frame %d is not the last one of its run: %q", f.Seq, f.Name)
	}
	return nil
}

// EachError is for each of some runs why something could not be done with it; nil while there
// is nothing to say.
type EachError []error

// Note notes what came of one of so many runs.
func (e *EachError) Note(i, of int, what string, err error) {
	if err == nil {
		return
	}
	if *e == nil {
		*e = make([]error, of)
	}
	(*e)[i] = fmt.Errorf("%s: %w", what, err)
}

// FirstBytes returns the first frames, whose names and data fit into maxBytes, but at
// least one.
func FirstBytes(frames []run.Frame, maxBytes int) []run.Frame {
	n, size := 0, 0
	for n < len(frames) {
		size += len(frames[n].Name) + len(frames[n].Data)
		if n > 0 && size > maxBytes {
			break
		}
		n++
	}
	return frames[:n:n]
}

// OutlineOf returns what an outline has of a document.
func OutlineOf(document *run.Document) (*workflow.Definition, error) {
	def, _, err := document.Decode()
	if err != nil {
		return nil, err
	}
	outline := &workflow.Definition{ID: def.ID, Nodes: make([]workflow.Node, len(def.Nodes))}
	for i := range def.Nodes {
		outline.Nodes[i].ID = def.Nodes[i].ID
	}
	return outline, nil
}

// A cursor is the place of a run in the order, and so goes on holding when runs come and go:
// the time of its start in base 36, and its id.

// CursorAt returns the cursor of a list of runs behind r.
func CursorAt(r run.Record) string {
	return strconv.FormatInt(r.StartedAt.UnixNano(), 36) + "." + r.RunID
}

// ReadCursor returns the time of the start and the id of a run from a cursor.
func ReadCursor(cursor string) (started time.Time, runID string, err error) {
	start, id, ok := strings.Cut(cursor, ".")
	nanos, err := strconv.ParseInt(start, 36, 64)
	if !ok || err != nil {
		return time.Time{}, "", fmt.Errorf("%w: %.40q", store.ErrInvalidCursor, cursor)
	}
	return time.UnixMicro(time.Unix(0, nanos).UnixMicro()).UTC(), id, nil
}
