// Command svc-sim runs simulators of the professional and the microblogging network. Use it to
// try their nodes without an account, and to see what workflows do when a network fails.
//
// It prints environment variables with the addresses of the simulators to standard output, and
// each request to standard error. The exit status is 0 after SIGINT or SIGTERM, 1 if it cannot
// serve, and 2 if the command line or a file that it names is invalid.
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
