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

	finding bool // looking at a widget may make its parts, which ask where they are
	homes   map[fyne.CanvasObject]fyne.Canvas
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

// CanvasForObject returns the canvas of the window with a widget. Fyne's own driver returns
// the last window, which suffices for drawing: Fyne asks only in order to redraw.
func (d *queueDriver) CanvasForObject(o fyne.CanvasObject) fyne.Canvas {
	if home := d.homes[o]; home != nil {
		return home
	}
	if _, ok := o.(fyne.Widget); !ok {
		return d.Driver.CanvasForObject(o)
	}
	if on, _, ok := d.find(o); ok {
		if d.homes == nil {
			d.homes = map[fyne.CanvasObject]fyne.Canvas{}
		}
		d.homes[o] = on
		return on
	}
	return d.Driver.CanvasForObject(o)
}

// AbsolutePositionForObject returns where an object is in its window.
func (d *queueDriver) AbsolutePositionForObject(o fyne.CanvasObject) fyne.Position {
	if _, at, ok := d.find(o); ok {
		return at
	}
	return d.Driver.AbsolutePositionForObject(o)
}

// find looks through all windows, if the driver has several.
func (d *queueDriver) find(o fyne.CanvasObject) (on fyne.Canvas, at fyne.Position, ok bool) {
	windows := d.AllWindows()
	if len(windows) <= 2 || d.finding {
		return nil, fyne.Position{}, false
	}
	d.finding = true
	defer func() { d.finding = false }()
	for _, w := range windows {
		for _, root := range append(w.Canvas().Overlays().List(), w.Canvas().Content()) {
			if root == nil {
				continue
			}
			if at, ok = within(root, o); ok {
				return w.Canvas(), at, true
			}
		}
	}
	return nil, fyne.Position{}, false
}

// within returns where an object is in what root is in.
func within(root, o fyne.CanvasObject) (at fyne.Position, ok bool) {
	if root == o {
		return root.Position(), true
	}
	for _, part := range uitest.Parts(root) {
		if at, ok = within(part, o); ok {
			break
		}
	}
	return at.Add(root.Position()), ok
}
