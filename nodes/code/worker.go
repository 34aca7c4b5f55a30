package code

import (
	"encoding/json"
	"io"

	"github.com/svcflow/svc/nodes/apart"
)

// Word is the argument that starts a program as a child that runs scripts.
const Word = "run-scripts"

// Wanted reports whether the arguments of a program, without its name, ask for a child.
func Wanted(args []string) bool { return len(args) == 1 && args[0] == Word }

// Work is the main function of the child: it runs scripts one after the other, until the
// parent closes the input. It returns the exit status.
func Work(in io.Reader, out io.Writer) int { return apart.Serve(in, out, &worker{}) }

// worker runs scripts, each in a new machine. It makes the next machine while no script
// waits.
type worker struct {
	prelude, luxon []byte // compiled, once
	next           *machine
}

// Prepare implements [apart.Worker].
func (w *worker) Prepare() {
	if w.next == nil {
		w.next, _ = w.newMachine() // it is tried again when it is needed, and then said
	}
}

// Answer implements [apart.Worker].
func (w *worker) Answer(m apart.Message) (answer apart.Message, after func(), err error) {
	var req request
	if err := json.Unmarshal(m.Head, &req); err != nil {
		return answer, nil, err
	}
	apart.Limit(req.MemoryMB)
	on := w.next
	if on == nil {
		if on, err = w.newMachine(); err != nil {
			return answer, nil, err
		}
	}
	w.next = nil
	result, r := on.run(w, &req, m.Head, string(m.Body))
	answer.Body = []byte(result)
	answer.Head, err = json.Marshal(r)
	return answer, on.close, err // nobody waits for the end of the machine
}
