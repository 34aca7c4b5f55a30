package oauth

import (
	"context"
	"time"
)

// askEvery is how often [Loopback.Watch] asks whether a login is over.
const askEvery = time.Second

// Watch shows the user the address of a login that ends on a server, and calls done until
// it returns true or fails. Its errors are [ErrPage] if the server sent an address that
// must not be opened, those of done, the cause of ctx's end, and those of Open if there is
// no ShowURL.
func (l Loopback) Watch(ctx context.Context, address string, done func(context.Context) (bool, error)) error {
	if err := checkLoginPage(address); err != nil {
		return err
	}
	failed := l.show(address)
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		over, err := done(ctx)
		if ctx.Err() == nil && (over || err != nil) {
			return err
		}
		select {
		case <-tick.C:
		case err := <-failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
