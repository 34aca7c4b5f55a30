//go:build cgo || ci

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
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.LookupEnv))
}

// obey calls cancel at the first signal, which closes the window, and ends the process
// at the second, with the status that shells give to what a signal has ended.
func obey(signals <-chan os.Signal, cancel func()) {
	<-signals
	cancel()
	if s, ok := (<-signals).(syscall.Signal); ok {
		os.Exit(128 + int(s))
	}
	os.Exit(exitFailed)
}
