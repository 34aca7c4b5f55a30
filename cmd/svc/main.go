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
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go obey(signals, cancel)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}

// obey calls cancel at the first signal and ends the process at the second, with
// the status that shells give to what a signal has ended.
func obey(signals <-chan os.Signal, cancel func()) {
	<-signals
	cancel()
	if s, ok := (<-signals).(syscall.Signal); ok {
		os.Exit(128 + int(s))
	}
	os.Exit(exitFailed)
}
