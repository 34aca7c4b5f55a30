//go:build e2e && linux

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is a tab of a headless Chromium, and what went wrong in it.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string
	asked  []string // addresses
}

// browse opens a tab.
func browse(t *testing.T, width, height int64, how ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	options := append(append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute)), how...)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	b := &browser{t: t}
	b.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(b.listen))
	t.Cleanup(cancel)
	b.do(command(log.Enable, cdp.Empty{}), command(network.Enable, network.EnableParams{}), chromedp.EmulateViewport(width, height))
	return b
}

// listen records the messages of the console, and every request.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !expected(e.Entry) {
			b.faults = append(b.faults, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	}
}

// expected reports whether a failed request is expected, because the page probes for something: a key that is taken,
// and a workflow of a run that is stored; and a form in which something is wrong.
func expected(e *log.Entry) bool {
	return strings.Contains(e.Text, "status of 422") && strings.Contains(e.URL, "/hooks/") || strings.Contains(e.Text, "status of 401") || strings.Contains(e.Text, "status of 404") && strings.Contains(e.URL, "/workflows/")
}

// command is a step that sends a command of the DevTools protocol.
func command[P any](c cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, c, params)
		return err
	})
}

// do takes steps. One that takes too long is a failure.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for i, step := range steps {
		ctx, cancel := b.ctx, context.CancelFunc(func() {})
		if chromedp.FromContext(b.ctx).Target != nil { // the first step starts the browser and may take longer
			ctx, cancel = context.WithTimeout(ctx, time.Minute)
		}
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			b.picture("broken")
		}
		require.NoError(b.t, err, "step %d", i)
	}
}

// evaluate returns what an expression gives in the tab.
func evaluate[T any](b *browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, expression)
	return v
}

// see waits until an element shows a text.
func (b *browser) see(selector, text string) {
	b.t.Helper()
	const shown = `[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))`
	b.until(fmt.Sprintf(shown, strconv.Quote(selector), strconv.Quote(text)))
}

// until waits until an expression is true. While the tab navigates, it cannot be evaluated.
func (b *browser) until(expression string) {
	b.t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		ctx, cancel := context.WithDeadline(b.ctx, end.Add(time.Second))
		_, err = chromedp.Run(ctx, chromedp.PollFunction[bool](`() => `+expression, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(time.Until(end))))
		cancel()
		if err == nil || !strings.Contains(err.Error(), "context") && !strings.Contains(err.Error(), "target navigated") {
			break
		}
	}
	if err != nil {
		b.picture("broken")
		b.t.Log(evaluate[string](b, `document.body.innerText`))
	}
	require.NoError(b.t, err, expression)
}

func (b *browser) dark(on bool) {
	scheme := "light"
	if on {
		scheme = "dark"
	}
	b.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}))
}

// picture saves a screenshot of the tab, if SVC_E2E_PICTURES names a folder.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("SVC_E2E_PICTURES")
	if folder == "" {
		return
	}
	_, _ = chromedp.Run(b.ctx, chromedp.Evaluate[any](`scrollTo(0, 0)`))
	ctx, cancel := context.WithTimeout(b.ctx, 10*time.Second) // a tab behind another one has no picture
	defer cancel()
	if png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100)); err == nil {
		require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600))
	}
}

// clean requires that the tab shows no words such as undefined. The workflows of these tests
// contain no such words.
func (b *browser) clean() {
	b.t.Helper()
	require.NotRegexp(b.t, `null|undefined|NaN|\[object`, evaluate[string](b, `document.body.innerText`))
}

// blameless requires that the tab had no errors, and sent requests to the server only.
func (b *browser) blameless(url string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.t, b.faults)
	for _, address := range b.asked {
		require.True(b.t, strings.HasPrefix(address, url) || strings.HasPrefix(address, "blob:"+url) || strings.HasPrefix(address, "data:"), address)
	}
}
