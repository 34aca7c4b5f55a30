// Package reading is what all nodes that read data share: where their input comes from, how
// its bytes become text, and how they report what they repaired or could not read.
package reading

import "fmt"

// Note says what was repaired in, or dropped from, an input.
type Note struct {
	Line    int    // 1-based; 0 if unknown
	Item    string // such as the name of an event, a file of an archive or a cell; may be empty
	Message string
	Dropped bool // a row, event, part or page was not read; otherwise it was repaired
}

// maxNotes is how many notes of one input are kept.
const maxNotes = 1000

// Notes collects the notes of one input. The zero value is empty, and a nil *Notes ignores
// notes. It is not safe for concurrent use.
type Notes struct {
	all     []Note
	dropped int
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
	switch {
	case n == nil:
		return
	case len(n.all) < maxNotes:
		n.all = append(n.all, note)
	default:
		n.more++
	}
	if note.Dropped {
		n.dropped++
	}
}

// All returns the notes in order; at most 1,000 are kept.
func (n *Notes) All() []Note {
	if n == nil {
		return nil
	}
	return n.all
}
