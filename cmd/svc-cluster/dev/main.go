// Command svc-cluster-dev is a cluster of Svc in one command: the two servers that it needs,
// Temporal's and PostgreSQL, one instance and one worker. It is for trying, developing and
// testing, without an account or a container. What they remember is there again when it is
// started anew, also after a kill: runs go on.
//
// It prints the environment variables that lead svc and svc-cluster to them to standard output,
// and what it does to standard error. It ends with 0 when it is told to stop, with 1 if it
// cannot serve, and with 2 if the command line is invalid.
package main

import (
	"os"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() { os.Exit(run(program.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
