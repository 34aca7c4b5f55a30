//go:build e2e && linux

package e2e_test

import (
	"context"
	"os"
	"path/filepath"
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
func browse(t *testing.T, width, height int64) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	b := &browser{t: t}
	b.ctx, cancel = chromedp.NewContext(ctx, chromedp.WithListener(b.listen))
	t.Cleanup(cancel)
	b.do(command(log.Enable, cdp.Empty{}), command(network.Enable, network.EnableParams{}), chromedp.EmulateViewport(width, height))
	return b
}

// listen keeps what a developer would see in the console, and every request.
func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "status of 401") {
			b.faults = append(b.faults, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, e.ExceptionDetails.Text)
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, e.Request.URL)
	}
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
			ctx, cancel = context.WithTimeout(ctx, 20*time.Second)
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
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err)
	return v
}

// see waits until an element shows a text.
func (b *browser) see(selector, text string) {
	b.t.Helper()
	const shown = `(selector, text) => [...document.querySelectorAll(selector)].some((e) => e.textContent.includes(text))`
	_, err := chromedp.Run(b.ctx, chromedp.PollFunction[bool](shown, chromedp.WithPollingArgs(selector, text), chromedp.WithPollingTimeout(20*time.Second)))
	if err != nil {
		b.picture("broken")
	}
	require.NoError(b.t, err, "%s: %s", selector, text)
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

// picture keeps what the tab shows, if SVC_E2E_PICTURES names a folder for it.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("SVC_E2E_PICTURES")
	if folder == "" {
		return
	}
	if png, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100)); err == nil {
		require.NoError(b.t, os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600))
	}
}

// clean requires that the tab shows no left-overs of its script. The workflows of
// these tests hold no such words.
func (b *browser) clean() {
	b.t.Helper()
	require.NotRegexp(b.t, `null|undefined|NaN|\[object`, evaluate[string](b, `document.body.innerText`))
}

// blameless requires that nothing went wrong in the tab, and that it asked no
// other address than the server's.
func (b *browser) blameless(url string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(b.t, b.faults)
	for _, address := range b.asked {
		require.True(b.t, strings.HasPrefix(address, url) || strings.HasPrefix(address, "data:"), address)
	}
}

// summing takes its time, runs a body and fails in the end, unless told not to.
const summing = `{"id":"followed","name":"Follow me","description":"Waits, then adds up.","nodes":[
  {"id":"wait","type":"control.delay","label":"Take a breath","config":{"ms":300},"position":{"x":0,"y":0}},
  {"id":"items","type":"io.input","config":{"name":"items","type":"list<int>","default":[1,2,3],"description":"What to add up."},"position":{"x":0,"y":160}},
  {"id":"each","type":"control.foreach","position":{"x":280,"y":120},"body":{"nodes":[
     {"id":"item","type":"io.input","config":{"name":"item","type":"int"}},{"id":"out","type":"io.output","config":{"name":"double"}},
     {"id":"twice","type":"json.query","config":{"filter":". * 2"}}],
     "connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"twice","toPort":"value"},{"fromNodeId":"twice","fromPort":"result","toNodeId":"out","toPort":"value"}]}},
  {"id":"sum","type":"listops.sum","position":{"x":560,"y":120}},
  {"id":"out","type":"io.output","config":{"name":"total"},"position":{"x":840,"y":120}},
  {"id":"big","type":"listops.range","config":{"start":0,"end":30000},"position":{"x":280,"y":330}},
  {"id":"count","type":"listops.length","position":{"x":560,"y":330}}],
 "connections":[
  {"fromNodeId":"items","fromPort":"value","toNodeId":"each","toPort":"list"},
  {"fromNodeId":"each","fromPort":"double","toNodeId":"sum","toPort":"list"},
  {"fromNodeId":"sum","fromPort":"sum","toNodeId":"out","toPort":"value"},
  {"fromNodeId":"big","fromPort":"result","toNodeId":"count","toPort":"list"}]}`

// TestPage uses the run page as a person would.
func TestPage(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", summing)
	server.do(201, "POST", "/workflows", waiting)
	b := browse(t, 1280, 900)
	b.dark(false)

	b.do(chromedp.Navigate(server.url + "/"))
	b.see("h1", "needs its API key")
	b.picture("key")
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), "not the right key at all\r"))
	b.see(".fault", "does not take this key")
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	b.see("td", "Follow me")
	b.clean()
	b.picture("workflows")

	b.do(chromedp.Click(chromedp.CSS(`a[href="#/workflows/followed"]`)))
	b.see("label", "items")
	b.do(chromedp.Click(chromedp.CSS(`[aria-label="Take a breath"]`)))
	b.see("section", "control.delay · wait")
	b.clean()
	b.picture("workflow")
	b.do(chromedp.SetValue(chromedp.CSS("#input-items"), "[1,2"), chromedp.Click(chromedp.CSS("form .main")))
	b.see(".fault", "write the value as JSON")
	b.do(chromedp.SetValue(chromedp.CSS("#input-items"), "[10, 20]"), chromedp.Click(chromedp.CSS("form .main")))
	b.see(".state", "completed")
	b.see("section", "60") // twice 10 and 20
	b.do(chromedp.Click(chromedp.CSS(`[aria-label="Range"]`)))
	b.see("section", "bytes, not sent")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Show everything"]`)))
	b.see("pre", "29999")
	b.do(chromedp.Click(chromedp.CSS(`[aria-label="Sum list"]`)))
	b.clean()
	b.picture("run-light")
	b.dark(true)
	b.picture("run-dark")

	id := server.start(waiting)
	b.do(chromedp.Navigate(server.url + "/#/runs/" + id))
	b.see(".node .status", "running")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Cancel"]`)))
	b.see(".state", "cancelled")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Resume"]`)))
	b.see("p", "goes on with")
	b.clean()
	b.picture("resumed")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Cancel"]`)))
	b.see(".state", "cancelled")

	b.do(chromedp.Click(chromedp.CSS(`a[href="#/runs"]`)))
	b.see("td", "completed")
	b.clean()
	b.picture("runs")
	b.do(chromedp.Click(chromedp.CSS(`a[href="#/api"]`)))
	b.see("summary", "/executions/{id}/events")
	b.do(chromedp.Click(chromedp.Search(`//summary[contains(., "/workflows/{id}/run")]`)))
	b.see("pre", "overrides?")
	b.picture("api")
	b.do(chromedp.NavigateBack())
	b.do(chromedp.EmulateViewport(390, 800), chromedp.NavigateBack())
	b.see("p", "goes on with")
	b.clean()
	b.picture("phone")
	require.False(t, evaluate[bool](b, `document.documentElement.scrollWidth > innerWidth`), "a phone has to scroll in one direction only")
	b.do(chromedp.EmulateViewport(1280, 900), chromedp.Click(chromedp.CSS("#forget")))
	b.see("h1", "needs its API key")
	b.blameless(server.url)
}

// TestPageAccounts sets a key for an API, tests it and forgets it.
func TestPageAccounts(t *testing.T) {
	server := launch(t, start{})
	b := browse(t, 1280, 900)
	b.dark(false)
	b.do(chromedp.Navigate(server.url + "/"))
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	b.see("h1", "No workflows yet")
	b.do(chromedp.Click(chromedp.CSS(`a[href="#/accounts"]`)))
	b.see("h1", "No accounts yet")
	b.do(chromedp.SendKeys(chromedp.CSS("#account-ref"), "http:crm"))
	require.True(t, evaluate[bool](b, `(() => {
		const kind = document.getElementById('account-kind');
		kind.value = 'basic';
		return kind.dispatchEvent(new Event('change'));
	})()`))
	b.do(chromedp.SendKeys(chromedp.CSS("#account-username"), "ann"), chromedp.SendKeys(chromedp.CSS("#account-password"), "canary"))
	b.do(chromedp.SendKeys(chromedp.CSS("#account-hosts"), "crm.example"), chromedp.Click(chromedp.CSS("form .main")))
	b.see("td", "http:crm")
	b.see("td", "basic crm.example")
	b.clean()
	b.picture("accounts")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Test"]`)))
	b.see("td", "It works.")
	require.NotContains(t, evaluate[string](b, `document.documentElement.outerHTML`), "canary")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Forget"]`)))
	b.see("h1", "No accounts yet")
	b.blameless(server.url)
}
