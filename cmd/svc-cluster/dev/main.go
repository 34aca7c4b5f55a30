// Command svc-cluster-dev starts the two servers that a cluster of Svc needs, Temporal's and
// PostgreSQL, in one command: for trying, developing and testing, without an account or a
// container. What they remember is there again when it is started anew, also after a kill.
//
// It prints the environment variables that lead svc-cluster to them to standard output, and
// what it does to standard error. It ends with 0 when it is told to stop, with 1 if it cannot
// serve, and with 2 if the command line is invalid.
package main

import (
	"os"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() { os.Exit(run(program.Context(), os.Args[1:], os.Stdout, os.Stderr)) }
