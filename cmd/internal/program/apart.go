package program

import (
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/svcflow/svc/nodes/data/pdf"
)

// Apart reports whether the arguments of a program ask it to do some work for another process
// of the same program, and be nothing else.
func Apart(args []string) bool { return runsScripts(args) || pdf.Wanted(args) }

// WorkApart does so, until whoever asks ends. It returns the exit status.
func WorkApart(args []string, in io.Reader, out io.Writer) int {
	if pdf.Wanted(args) {
		return pdf.Work(in, out)
	}
	return runScripts(in, out)
}

// self makes a process of this very program that is told a word.
func self(word string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // the same program also when a newer one lies in its place by now
	}
	cmd := exec.Command(path, word)
	cmd.Args[0] = os.Args[0]
	return cmd
}

func documents() *exec.Cmd { return self(pdf.Word) }
