package program

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/alecthomas/kong"
)

// failed is the exit status of a program that is ended by a signal without a number.
const failed = 1

// Context returns the context of the whole program. It ends at the first SIGINT or SIGTERM, for
// an orderly end, and at SIGHUP unless [OnHangup] says otherwise. The second SIGINT or SIGTERM ends
// the process, with the exit status that shells use for signals. Call it once.
func Context() context.Context {
	h := new(hangup)
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), hangupKey{}, h))
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup has the program ignore it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go obey(signals, h, cancel)
	return ctx
}

// hangup is what SIGHUP does; nil ends the program.
type hangup struct{ do atomic.Pointer[func()] }

type hangupKey struct{}

// OnHangup lets SIGHUP call do instead of ending ctx, which is the context of the whole program or
// one that derives from it. For other contexts it does nothing.
func OnHangup(ctx context.Context, do func()) {
	if h, ok := ctx.Value(hangupKey{}).(*hangup); ok {
		h.do.Store(&do)
	}
}

func obey(signals <-chan os.Signal, h *hangup, cancel func()) {
	ending := false
	for s := range signals {
		do := h.do.Load()
		switch {
		case s == syscall.SIGHUP && do != nil:
			(*do)()
		case !ending:
			ending = true
			cancel()
		case s == syscall.SIGHUP: // a closed terminal may send it several times
		default:
			exit(s)
		}
	}
}

// exit ends the process.
func exit(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		os.Exit(128 + int(number))
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
