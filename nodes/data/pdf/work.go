// Package pdf reads the text of PDF files in child processes, since a malformed file may
// take all memory or time. Package object reads the structure, package font the text that
// fonts draw, and package layout puts it in order.
package pdf

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/nodes/apart"
	"github.com/svcflow/svc/nodes/reading"
)

// Word is the command-line argument that makes a program a child process that reads
// documents.
const Word = "read-documents"

// Wanted reports whether the arguments of a program, without its name, request this.
func Wanted(args []string) bool { return len(args) == 1 && args[0] == Word }

// Work is the main function of the child process. It reads documents until in ends, and
// returns the exit status.
func Work(in io.Reader, out io.Writer) int {
	debug.SetMaxStack(maxStack)
	debug.SetMemoryLimit(memoryMB << 20)
	apart.Limit(memoryMB)
	return apart.Serve(in, out, worker{})
}

// The memory limits of the child process.
const (
	memoryMB = 256
	maxStack = 64 << 20
)

// Range is a range of pages, counted from 1. A Last of 0 is the last page of the document.
type Range struct{ First, Last int }

// Text is the text of a document.
type Text struct {
	Pages []string `json:"pages"`
	Count int      `json:"count"` // number of pages in the document, not of those requested
	Title *string  `json:"title,omitempty"`
}

// reply is the child process's response for a document.
type reply struct {
	Text

	Failure *Failure       `json:"failure,omitempty"`
	Notes   []reading.Note `json:"notes,omitempty"`
}

// Failure describes why a document cannot be read.
type Failure struct {
	Page    int    `json:"page,omitempty"` // 0 if it concerns the whole document
	Message string `json:"message"`
	TooMuch bool   `json:"tooMuch,omitempty"` // a limit is exceeded
}

// Error implements error.
func (f *Failure) Error() string {
	if f.Page > 0 {
		return fmt.Sprintf("page %d: %s", f.Page, f.Message)
	}
	return f.Message
}

// Read reads the text of pages of a document in a process of the pool. What was repaired or
// could not be read is noted in notes. If the document is invalid, the error is a [*Failure].
func Read(ctx context.Context, pool *apart.Pool, document []byte, ranges []Range, notes *reading.Notes) (Text, error) {
	const most = 6*limit.PagesText + 1<<20 // the largest reply: JSON escapes a byte as up to 6
	head, err := json.Marshal(ranges)
	if err != nil {
		return Text{}, err
	}
	answer, err := pool.Do(ctx, apart.Message{Head: head, Body: document}, most)
	if err != nil {
		return Text{}, err
	}
	var r reply
	if err := json.Unmarshal(answer.Head, &r); err != nil {
		return Text{}, err
	}
	if r.Failure != nil {
		return Text{}, r.Failure
	}
	for i := range r.Notes {
		if n := &r.Notes[i]; n.Dropped {
			notes.Dropped(n.Line, n.Item, "%s", n.Message)
		} else {
			notes.Repaired(n.Line, n.Item, "%s", n.Message)
		}
	}
	return r.Text, nil
}

type worker struct{}

// Prepare implements [apart.Worker].
func (worker) Prepare() {}

// Answer implements [apart.Worker].
func (worker) Answer(m apart.Message) (answer apart.Message, after func(), err error) {
	var ranges []Range
	if err := json.Unmarshal(m.Head, &ranges); err != nil {
		return answer, nil, err
	}
	var r reply
	notes := &reading.Notes{}
	if r.Text, err = textOf(m.Body, ranges, notes); err != nil {
		failure, known := errors.AsType[*Failure](err)
		if !known {
			failure = &Failure{Message: shown(err)}
		}
		r = reply{Failure: failure}
	}
	r.Notes = notes.All()
	answer.Head, err = json.Marshal(&r)
	return answer, debug.FreeOSMemory, err
}

// textOf reads the pages of the ranges.
func textOf(data []byte, ranges []Range, notes *reading.Notes) (t Text, err error) {
	defer caught(&err)
	d, err := open(data, notes)
	if err != nil {
		return t, err
	}
	t.Pages, t.Count, t.Title = []string{}, len(d.pages), d.title()
	size := 0
	for _, span := range ranges {
		if span.Last == 0 {
			span.Last = t.Count
		}
		if last := max(span.First, span.Last); last > t.Count {
			return t, &Failure{Message: fmt.Sprintf("there is no page %d; the document has %d", last, t.Count)}
		}
		for n := span.First; n <= span.Last; n++ {
			text, err := d.text(n)
			if err != nil {
				return t, err
			}
			if size += len(text); size > limit.PagesText || len(t.Pages) >= limit.Pages {
				return t, &Failure{Page: n, Message: fmt.Sprintf("there are more than %d bytes of text, or %d pages; ask for fewer pages", limit.PagesText, limit.Pages), TooMuch: true}
			}
			t.Pages = append(t.Pages, text)
		}
	}
	return t, nil
}

// caught converts a panic to an error, so that a mistake in the reader does not end the
// process.
func caught(err *error) {
	if what := recover(); what != nil {
		*err = &Failure{Message: shown(fmt.Errorf("%v", what))}
	}
}

// shown shortens an error message, which may quote the document.
func shown(err error) string {
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	for len(text) > 200 {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	return text
}

// clean removes control characters and invalid UTF-8.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError || r == 0x7F {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
