// Command svc-cluster is Svc on many machines: processes that serve workflows over HTTP, and
// processes that drive their runs, which outlive all of them. Temporal decides when and where
// a run is driven, and PostgreSQL remembers what.
//
// The exit status is 0 if all went well, 1 if a command failed, 2 if the command line is
// invalid, and 130 if it was interrupted.
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
