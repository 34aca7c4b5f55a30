// Command svc-cluster runs Svc on several machines: instances serve workflows over HTTP, and
// workers drive their runs. A run continues when any of them stops. Temporal decides when and
// where a run is driven, and PostgreSQL stores everything.
//
// The exit status is 0 on success, 1 if a command failed, 2 if the command line is invalid, and
// 130 if it was interrupted.
package main

import (
	"os"

	"github.com/google/uuid"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() {
	uuid.EnableRandPool() // otherwise each run id needs a system call for its random bits
	os.Exit(obey(program.Context(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}
