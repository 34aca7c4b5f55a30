//go:build nocode

package program

import (
	"io"
	"os/exec"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
)

// A program built with the tag nocode has no node types that run scripts.

func runsScripts([]string) bool           { return false }
func runScripts(io.Reader, io.Writer) int { return 2 }

// Child returns nil: nothing starts a process for scripts.
func Child() *exec.Cmd { return nil }

func scripts(nodes.Env) []node.Plugin { return nil }
