package ui

import (
	"net/url"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/svcflow/svc/ui/uitest"
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
	uitest.Queue
}

// DoFromGoroutine is how fyne.Do comes here.
func (d *queueDriver) DoFromGoroutine(f func(), wait bool) {
	done := make(chan struct{})
	d.Post(func() {
		defer close(done)
		f()
	})
	if wait {
		<-done
	}
}
