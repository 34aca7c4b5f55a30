package app

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/svcflow/svc/app/runs"
)

// Close ends the App: it takes no more runs, waits until ctx ends for those that
// go on, and interrupts the rest, which end as failed with the code interrupted
// and can be resumed. Then it closes Config.Runs. When it returns, every goroutine
// of the App has ended, but for calls of nodes that ignore the end of their
// context. It may be called again.
func (a *App) Close(ctx context.Context) error {
	a.closing.Do(func() {
		a.admission.Close()
		if a.triggers != nil {
			a.triggers.Close()
		}
		var drained sync.WaitGroup
		drained.Go(func() { a.runs.Drain(ctx) })
		if a.admission.Wait(ctx) != nil {
			a.interrupt(runs.ErrInterrupted)
			a.admission.WaitAll()
		}
		drained.Wait()
		a.interrupt(nil)
		a.swept.Wait()
		a.closeErr = errors.Join(a.runs.Close(), a.closePlugins())
	})
	return a.closeErr
}

// closePlugins ends what plugins have begun for their nodes: processes, connections.
func (a *App) closePlugins() (err error) {
	for _, p := range a.plugins {
		if c, ok := p.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}
