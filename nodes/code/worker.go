package code

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
)

// Word is the argument by which a program is told to be a child that runs scripts.
const Word = "run-scripts"

// Wanted reports whether the arguments of a program, without its name, ask for a child.
func Wanted(args []string) bool { return len(args) == 1 && args[0] == Word }

// Work is the child: it runs the scripts that come in, one after the other, until whoever
// sends them ends. It returns the exit status.
func Work(in io.Reader, out io.Writer) int {
	confine()
	requests := make(chan [2][]byte)
	go func() { // ends with the process: a script may never end, and then nobody takes anything
		read := bufio.NewReader(in)
		for {
			head, err := readFrame(read, maxFrame)
			if err != nil {
				os.Exit(0)
			}
			values, err := readFrame(read, maxFrame)
			if err != nil {
				os.Exit(0)
			}
			requests <- [2][]byte{head, values}
		}
	}()
	write := bufio.NewWriter(out)
	w := &worker{}
	for {
		w.prepare()
		frames := <-requests
		if err := w.answer(write, frames[0], frames[1]); err != nil {
			return 1
		}
	}
}

// worker runs scripts. Each has a machine of its own, and the next one is made while
// nobody waits.
type worker struct {
	prelude, luxon []byte // compiled, once
	next           *machine
}

func (w *worker) prepare() {
	if w.next == nil {
		w.next, _ = w.newMachine() // it is tried again when it is needed, and then said
	}
}

// answer runs a script and sends what came of it.
func (w *worker) answer(out *bufio.Writer, head, values []byte) error {
	var req request
	if err := json.Unmarshal(head, &req); err != nil {
		return err
	}
	limit(req.MemoryMB)
	m, err := w.next, error(nil)
	if m == nil {
		if m, err = w.newMachine(); err != nil {
			return err
		}
	}
	w.next = nil
	defer m.close() // when the answer is on its way: nobody waits for that
	result, r := m.run(w, &req, head, string(values))
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := writeFrame(out, text); err != nil {
		return err
	}
	if err := writeFrame(out, []byte(result)); err != nil {
		return err
	}
	return out.Flush()
}
