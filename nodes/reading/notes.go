// Package reading is what all nodes that read data share: where their input comes from, how
// its bytes become text, and how they report what they repaired or could not read.
package reading

import (
	"context"
	"fmt"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Note says what was repaired in, or dropped from, an input.
type Note struct {
	Line    int    // 1-based; 0 if unknown
	Item    string // such as the name of an event, a file of an archive or a cell; may be empty
	Message string
	Dropped bool // a row, event, part or page was not read; otherwise it was repaired
}

// String returns the note for people: "line 3, Sheet1!B2: message".
func (n *Note) String() string {
	var where []string
	if n.Line > 0 {
		where = append(where, fmt.Sprintf("line %d", n.Line))
	}
	if n.Item != "" {
		where = append(where, n.Item)
	}
	if len(where) == 0 {
		return n.Message
	}
	return strings.Join(where, ", ") + ": " + n.Message
}

// maxNotes is how many notes of one input are kept.
const maxNotes = 1000

// Notes collects the notes of one input. The zero value is empty and accepts losses; a nil
// *Notes ignores notes. It is not safe for concurrent use.
type Notes struct {
	strict  bool // what was dropped is an error
	all     []Note
	dropped int
	first   Note // the first that was dropped
	more    int
}

// Repaired notes that something was read although it is malformed.
func (n *Notes) Repaired(line int, item, format string, args ...any) {
	n.add(Note{Line: line, Item: item, Message: fmt.Sprintf(format, args...)})
}

// Dropped notes that something could not be read and is missing in the result.
func (n *Notes) Dropped(line int, item, format string, args ...any) {
	n.add(Note{Line: line, Item: item, Message: fmt.Sprintf(format, args...), Dropped: true})
}

func (n *Notes) add(note Note) {
	if n == nil {
		return
	}
	if len(n.all) < maxNotes {
		n.all = append(n.all, note)
	} else {
		n.more++
	}
	if note.Dropped {
		if n.dropped++; n.dropped == 1 {
			n.first = note
		}
	}
}

// All returns the notes in order; at most 1,000 are kept.
func (n *Notes) All() []Note {
	if n == nil {
		return nil
	}
	return n.all
}

// Err returns the failure of the node if something was dropped and the workflow does not
// accept that. A node that reads a stream calls it early, so that it does not act on the
// rest; for others the wrapper of [Node] does.
func (n *Notes) Err() error {
	if n == nil || !n.strict || n.dropped == 0 {
		return nil
	}
	also := ""
	if n.dropped > 1 {
		also = fmt.Sprintf(" (and %d more)", n.dropped-1)
	}
	return node.Permanent(node.Errorf(node.CodeInvalidInput,
		"%s%s; to take the rest, use the output warnings or set strict to false", n.first.String(), also))
}

// values returns the notes as the output warnings has them.
func (n *Notes) values() []any {
	list := make([]any, 0, len(n.all)+1)
	for i := range n.all {
		list = append(list, n.all[i].value())
	}
	if n.more > 0 {
		more := Note{Message: fmt.Sprintf("there are %d more", n.more)}
		list = append(list, more.value())
	}
	return list
}

func (n *Note) value() map[string]any {
	v := map[string]any{"line": nil, "item": nil, "message": n.Message}
	if n.Line > 0 {
		v["line"] = n.Line
	}
	if n.Item != "" {
		v["item"] = n.Item
	}
	return v
}

type notesKey struct{}

// NotesOf returns the notes of the call of a [Node] with ctx, or nil.
func NotesOf(ctx context.Context) *Notes {
	n, _ := ctx.Value(notesKey{}).(*Notes)
	return n
}
