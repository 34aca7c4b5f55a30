package engine

import (
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

// problems collects validation errors together with their place in the document. It keeps
// those that come first there, as many as are told, and only counts the others: a small
// document can have very many.
type problems struct {
	list []placed
	more int // that are not in list
}

type placed struct {
	place int
	err   *ValidationError
}

// maxName is how much of a name or a type a problem shows, and maxPort how much it has of
// the port that it is about, in bytes.
const (
	maxName = 200
	maxPort = 512
)

func (p *problems) add(place int, e *ValidationError) {
	e.Message, e.Hint = value.Shorten(e.Message, limit.Message), value.Shorten(e.Hint, limit.Message)
	e.NodeID, e.Port = value.Shorten(e.NodeID, limit.Message), value.Shorten(e.Port, maxPort)
	p.list = append(p.list, placed{place, e})
	if len(p.list) >= 2*limit.Problems {
		p.sort()
	}
}

// include adds all problems of a body at one place.
func (p *problems) include(place int, inner *problems) {
	inner.sort()
	for _, e := range inner.list {
		p.add(place, e.err)
	}
	p.more += inner.more
}

// count returns how many problems there are, kept or not.
func (p *problems) count() int { return len(p.list) + p.more }

// sort brings the problems into document order and forgets those that are too many.
func (p *problems) sort() {
	slices.SortStableFunc(p.list, func(a, b placed) int { return a.place - b.place })
	if most := limit.Problems; len(p.list) > most {
		p.more += len(p.list) - most
		clear(p.list[most:])
		p.list = p.list[:most]
	}
}

// sorted returns the problems in document order, nil if there are none.
func (p *problems) sorted() ValidationErrors {
	p.sort()
	var errs ValidationErrors
	bytes := 0
	for _, e := range p.list {
		if bytes += e.err.size(); bytes > limit.ProblemBytes {
			break
		}
		errs = append(errs, e.err)
	}
	if more := p.count() - len(errs); more > 0 {
		errs = append(errs, &ValidationError{
			Code: CodeLimitExceeded, Message: fmt.Sprintf("%d more problems are not listed", more), Hint: "correct these first", Truncated: more,
		})
	}
	return errs
}

// size returns about how many bytes of JSON e takes.
func (e *ValidationError) size() int {
	n := len(`{"code":"","message":,"nodeId":,"port":,"connection":12345,"hint":},`) + len(e.Code)
	var room [limit.Message]byte // on the stack, for most
	for _, text := range []string{e.Message, e.NodeID, e.Port, e.Hint} {
		n += len(value.AppendText(room[:0], text))
	}
	return n
}

// brief returns as much of a name as a message shows.
func brief(name string) string { return value.Shorten(name, maxName) }
