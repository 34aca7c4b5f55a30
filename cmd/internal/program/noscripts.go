//go:build nocode

package program

import (
	"io"
	"os/exec"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
)

// A program that was built with the tag nocode has no node type that runs scripts.

func runsScripts([]string) bool           { return false }
func runScripts(io.Reader, io.Writer) int { return 2 }

// Child makes no process that anybody asks for.
func Child() *exec.Cmd { return nil }

func scripts(nodes.Env) []node.Plugin { return nil }
