//go:build e2e && linux

package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

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
	b.do(chromedp.Click(chromedp.CSS(`[data-id="wait"]`)))
	b.see("section", "Delay · control.delay · wait")
	b.clean()
	b.picture("workflow")
	b.do(chromedp.SetValue(chromedp.CSS("#input-items"), "[1,2"), chromedp.Click(chromedp.CSS("form .main")))
	b.see(".fault", "Line 1, column 5: the text ends too early")
	b.do(chromedp.SetValue(chromedp.CSS("#input-items"), "[10, 20]"), chromedp.Click(chromedp.CSS("form .main")))
	b.see(".state", "completed")
	b.see("section", "60") // twice 10 and 20
	b.do(chromedp.Click(chromedp.CSS(`[data-id="big"]`)))
	b.see("section", "bytes, not sent")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Show everything"]`)))
	b.see(".tree button", "29900 more")
	b.do(chromedp.Click(chromedp.CSS(`[data-id="sum"]`)))
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
