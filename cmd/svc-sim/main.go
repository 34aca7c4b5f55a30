// Command svc-sim runs simulators of the professional and the microblogging
// network, for trying Svc's nodes for them without an account and for seeing what
// workflows do when a network fails.
//
// It prints the environment variables that lead Svc to the simulators to standard
// output, and each request to standard error. It ends with 0 when it is told to
// stop, with 1 if it cannot serve, and with 2 if the command line or a file that it
// names is invalid.
//
// The simulators are package nodes/sim; this one only puts them behind an address.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
