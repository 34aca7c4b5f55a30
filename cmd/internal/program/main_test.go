package program_test

import (
	"os"
	"testing"

	"github.com/svcflow/svc/cmd/internal/program"
)

// TestMain lets the test binary work as the child process that reads documents.
func TestMain(m *testing.M) {
	if args := os.Args[1:]; program.Apart(args) {
		os.Exit(program.WorkApart(args, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}
