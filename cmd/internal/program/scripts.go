//go:build !nocode

package program

import (
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/code"
)

// Scripts reports whether the arguments of a program ask it to run scripts for another
// process of the same program; see [Child].
func Scripts(args []string) bool { return code.Wanted(args) }

// RunScripts does so, until whoever asks ends. It returns the exit status.
func RunScripts(in io.Reader, out io.Writer) int { return code.Work(in, out) }

// Child makes a process of this very program that runs scripts.
func Child() *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // the same program also when a newer one lies in its place by now
	}
	cmd := exec.Command(path, code.Word)
	cmd.Args[0] = os.Args[0]
	return cmd
}

func scripts(env nodes.Env) []node.Plugin { return []node.Plugin{code.New(env.Code)} }
