package ui

import (
	"net/url"
	"sync"
	"testing"
	"testing/synctest"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// queueApp is Fyne's app for tests, but that what goroutines ask to be done on the
// window's goroutine waits until the test does it: Fyne's own does it at once, where it
// is asked, in the middle of whatever the test does.
type queueApp struct {
	fyne.App

	driver *queueDriver
	opened string // the address that another program was to open last
}

// OpenURL implements fyne.App.
func (a *queueApp) OpenURL(address *url.URL) error {
	a.opened = address.String()
	return nil
}

func newQueueApp(t *testing.T) *queueApp {
	t.Helper()
	made := test.NewTempApp(t)
	a := &queueApp{App: made, driver: &queueDriver{Driver: made.Driver()}}
	fyne.SetCurrentApp(a)
	return a
}

// Driver returns the driver with the queue.
func (a *queueApp) Driver() fyne.Driver { return a.driver }

type queueDriver struct {
	fyne.Driver

	mu      sync.Mutex
	waiting []func()
}

// DoFromGoroutine is how fyne.Do comes here.
func (d *queueDriver) DoFromGoroutine(f func(), wait bool) {
	done := make(chan struct{})
	d.mu.Lock()
	d.waiting = append(d.waiting, func() {
		defer close(done)
		f()
	})
	d.mu.Unlock()
	if wait {
		<-done
	}
}

// settle does what waits, until nothing is left and nothing goes on that does not wait
// for time.
func (d *queueDriver) settle() {
	for {
		synctest.Wait()
		d.mu.Lock()
		waiting := d.waiting
		d.waiting = nil
		d.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		for _, f := range waiting {
			f()
		}
	}
}
