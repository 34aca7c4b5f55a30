package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// failed is the exit status of a program that is ended by a signal without a number.
const failed = 1

// Context returns the context of the whole program. It ends at the first SIGINT or SIGTERM, for
// an orderly end. The second signal ends the process, with the exit status that shells use for
// signals. Call it once.
func Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go obey(signals, cancel)
	return ctx
}

func obey(signals <-chan os.Signal, cancel func()) {
	<-signals
	cancel()
	if s, ok := (<-signals).(syscall.Signal); ok {
		os.Exit(128 + int(s))
	}
	os.Exit(failed)
}

// Variables sets flags that are not on the command line from the environment variables that
// their tag "variable" names.
func Variables(env func(string) (string, bool)) kong.ResolverFunc {
	return func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		name := flag.Tag.Get("variable")
		if v, ok := env(name); ok && name != "" && v != "" {
			return v, nil
		}
		return nil, nil
	}
}
