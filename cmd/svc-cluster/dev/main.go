// Command svc-cluster-dev runs a cluster of Svc on one machine: the two servers that it needs,
// Temporal and PostgreSQL, one instance and one worker. It is for trials, development and tests,
// and needs neither an account nor a container. It keeps its data: after a restart, also after a
// kill, unfinished runs continue.
//
// It prints the environment variables with which svc and svc-cluster reach the servers to
// standard output, and logs to standard error. The exit status is 0 after a signal, 1 if it
// cannot serve, and 2 if the command line is invalid.
package main

import (
	"os"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() { os.Exit(run(program.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
