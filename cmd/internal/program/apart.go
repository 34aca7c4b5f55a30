package program

import (
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/svcflow/svc/nodes/data/pdf"
)

// Apart reports whether the arguments make this process a child that only works for another
// process of the same program, such as running scripts.
func Apart(args []string) bool { return runsScripts(args) || pdf.Wanted(args) }

// WorkApart works as such a child until the parent ends. It returns the exit status.
func WorkApart(args []string, in io.Reader, out io.Writer) int {
	if pdf.Wanted(args) {
		return pdf.Work(in, out)
	}
	return runScripts(in, out)
}

// self returns a command that starts this program with word as its argument.
func self(word string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // the running program, even if its file has been replaced
	}
	cmd := exec.Command(path, word)
	cmd.Args[0] = os.Args[0]
	return cmd
}

func documents() *exec.Cmd { return self(pdf.Word) }
