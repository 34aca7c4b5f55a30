// Package apart runs work on untrusted input, such as scripts and documents, in child
// processes. A child is the same program, started with an argument that says so. Its memory
// is limited, its environment is empty, and its input comes by standard input. A child is
// killed when its time is up, and replaced when it dies.
package apart

import (
	"bufio"
	"io"
	"os"
)

// Worker does the work of a child.
type Worker interface {
	// Prepare is called while no message waits, to do work ahead.
	Prepare()
	// Answer returns the answer to a message, and a function to call after it was sent, which
	// may be nil. An error ends the process.
	Answer(m Message) (answer Message, after func(), err error)
}

// Serve is the main function of a child: it answers messages one after the other, until the
// parent closes the input. It returns the exit status.
func Serve(in io.Reader, out io.Writer, w Worker) int {
	confine()
	messages := make(chan Message)
	go func() { // ends with the process: an answer may never come, and then nobody takes anything
		from := bufio.NewReader(in)
		for {
			m, err := read(from, maxMessage)
			if err != nil {
				os.Exit(0)
			}
			messages <- m
		}
	}()
	for {
		w.Prepare()
		answer, after, err := w.Answer(<-messages)
		if err == nil {
			err = write(out, answer)
		}
		if err != nil {
			return 1
		}
		if after != nil {
			after()
		}
	}
}
