// Command svc is Svc without windows: it serves workflows over HTTP, and runs,
// checks, formats and keeps them from the command line.
//
// Outputs go to standard output, progress and errors to standard error. The exit
// status is 0 if all went well, 1 if a run or a command failed, 2 if a workflow,
// its inputs or the command line are invalid, and 130 if it was interrupted.
//
// What svc can do is in the packages below it; this one only turns command lines
// into calls and their results into text.
package main

import (
	"os"

	"github.com/google/uuid"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() {
	uuid.EnableRandPool() // else each run asks the system for the chance in its id
	os.Exit(obey(program.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
