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

// CheckLast returns an error if f is not a terminal frame.
func CheckLast(f *run.Frame) error {
	if !f.Name.Terminal() {
		return fmt.Errorf("frame %d is not the last one of its run: %q", f.Seq, f.Name)
	}
	return nil
}

// EachError holds an error, or nil, for each of several runs. It is nil if there was no error.
type EachError []error

// Note records the error of run i of the given total, if err is not nil.
func (e *EachError) Note(i, of int, what string, err error) {
	if err == nil {
		return
	}
	if *e == nil {
		*e = make([]error, of)
	}
	(*e)[i] = fmt.Errorf("%s: %w", what, err)
}

// FirstBytes returns the first frames whose names and data fit into maxBytes, but at least one.
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

// OutlineOf returns the outline of a document: the ids of the workflow and its nodes.
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

// A cursor is the start time of a run in base 36 and its id. It thus stays valid when runs are
// added or removed.

// CursorAt returns the cursor of the page after r.
func CursorAt(r run.Record) string {
	return strconv.FormatInt(r.StartedAt.UnixNano(), 36) + "." + r.RunID
}

// ReadCursor returns the start time and the id in a cursor.
func ReadCursor(cursor string) (started time.Time, runID string, err error) {
	start, id, ok := strings.Cut(cursor, ".")
	nanos, err := strconv.ParseInt(start, 36, 64)
	if !ok || err != nil {
		return time.Time{}, "", fmt.Errorf("%w: %.40q", store.ErrInvalidCursor, cursor)
	}
	return time.UnixMicro(time.Unix(0, nanos).UnixMicro()).UTC(), id, nil
}
