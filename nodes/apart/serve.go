// Package apart lets a program do in processes of its own what may end badly, because
// strangers have written what it is done with: scripts, documents. Such a process is the same
// program again, told so by an argument. It has a bound on its memory, an environment that
// tells it nothing, and what it needs comes in by its standard input; it is killed when its
// time is up, and replaced when it dies.
package apart

import (
	"bufio"
	"io"
	"os"
)

// Worker is what a process apart does.
type Worker interface {
	// Prepare is called while nobody waits.
	Prepare()
	// Answer returns the answer to a message, and what is to be done when that is on its way,
	// if it is not nil. An error ends the process.
	Answer(m Message) (answer Message, after func(), err error)
}

// Serve is the process: it answers the messages that come in, one after the other, until
// whoever sends them ends. It returns the exit status.
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
