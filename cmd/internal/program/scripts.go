//go:build !nocode

package program

import (
	"io"
	"os/exec"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/code"
)

// Child returns a command that starts this program to run scripts.
func Child() *exec.Cmd { return self(code.Word) }

func runsScripts(args []string) bool             { return code.Wanted(args) }
func runScripts(in io.Reader, out io.Writer) int { return code.Work(in, out) }

func scripts(env nodes.Env) []node.Plugin { return []node.Plugin{code.New(env.Code)} }
