//go:build cgo || ci

package main

import (
	"os"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() {
	os.Exit(run(program.Context(), os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}
