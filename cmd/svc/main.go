// Command svc serves workflows over HTTP, and runs, validates, formats and stores
// them from the command line.
//
// Outputs go to standard output, progress and errors to standard error. The exit
// status is 0 if all went well, 1 if a run or a command failed, 2 if a workflow,
// its inputs or the command line are invalid, and 130 if it was interrupted.
//
// This package parses command lines, calls other packages, and prints the results.
package main

import (
	"os"

	"github.com/google/uuid"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() {
	uuid.EnableRandPool() // else each run asks the system for the random part of its id
	os.Exit(execute(program.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
