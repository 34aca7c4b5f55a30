//go:build cgo || ci

package main

import (
	"os"

	"github.com/svcflow/svc/cmd/internal/program"
)

func main() {
	if program.Apart(os.Args[1:]) {
		os.Exit(program.WorkApart(os.Args[1:], os.Stdin, os.Stdout))
	}
	os.Exit(run(program.Context(), os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}
