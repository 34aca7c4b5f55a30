//go:build e2e && linux

package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// asking is a workflow with an input of each kind.
const asking = `{"id":"asking","name":"Asking","nodes":[
  {"id":"a","type":"io.input","config":{"name":"name","type":"string","required":true,"description":"Whom to greet."}},
  {"id":"b","type":"io.input","config":{"name":"times","type":"int","default":3}},
  {"id":"c","type":"io.input","config":{"name":"loud","type":"bool","default":true}},
  {"id":"d","type":"io.input","config":{"name":"tone","type":"enum(kind|stern)","default":"kind"}},
  {"id":"e","type":"io.input","config":{"name":"share","type":"float?"}},
  {"id":"f","type":"io.input","config":{"name":"more","type":"record"}},
  {"id":"g","type":"io.input","config":{"name":"sure","type":"bool?"}},
  {"id":"all","type":"preview.view"}],"connections":[{"fromNodeId":"a","fromPort":"value","toNodeId":"all","toPort":"value"}]}`

// TestPageForm fills in a form as its fields want it, and starts with Enter.
func TestPageForm(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", asking)
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/workflows/asking")
	b.see("label", "name *")
	kinds := evaluate[string](b, `[...document.querySelectorAll('.start [id^=input-]:not(.fault)')].map((one) => one.id.slice(6) + ':' + (one.tagName === 'INPUT' ? one.type : one.tagName.toLowerCase())).join(' ')`)
	require.Equal(t, "name:text times:number loud:checkbox tone:select share:number more:textarea sure:select", kinds)
	require.Equal(t, "3 true kind", evaluate[string](b, `[document.querySelector('#input-times').value, document.querySelector('#input-loud').checked, document.querySelector('#input-tone').value].join(' ')`), "defaults are shown")
	b.picture("form")
	b.press("▶ Start")
	b.see("#input-name-fault", "A value is needed.")
	require.Equal(t, "input-name", evaluate[string](b, `document.activeElement.id`))
	b.do(chromedp.SetValue(chromedp.CSS("#input-more"), "{\n  \"a\": 1,\n  b: 2}"), chromedp.SetValue(chromedp.CSS("#input-times"), "2"))
	b.do(chromedp.SendKeys(chromedp.CSS("#input-name"), "Ada\r"))
	b.see("#input-more-fault", "Line 3, column 3: a name in quotes is expected here")
	b.picture("form-faults")
	b.do(chromedp.SetValue(chromedp.CSS("#input-more"), `{"a":1}`), chromedp.Click(chromedp.CSS("#input-loud")))
	b.do(chromedp.SetValue(chromedp.CSS("#input-tone"), "stern"), chromedp.SendKeys(chromedp.CSS("#input-name"), "\r"))
	b.see(".head .state", "completed")
	id := evaluate[string](b, `location.hash.split('/').pop()`)
	require.JSONEq(t, `{"name":"Ada","times":2,"loud":false,"tone":"stern","more":{"a":1}}`, string(server.do(200, "GET", "/executions/"+id+"/inputs", "").body))
	b.clean()
	b.blameless(server.url)
}

// TestPageEmptyAndHints names the folder of an empty server, and shows hints in grey.
func TestPageEmptyAndHints(t *testing.T) {
	server := launch(t, start{})
	b := browse(t, 390, 844)
	b.enter(server.url)
	b.see("code", server.data)
	require.False(t, evaluate[bool](b, sideways))
	const hinted = `{"id":"hinted","nodes":[
	  {"id":"url","type":"io.input","config":{"name":"url","type":"string","default":"https://example.com/"}},{"id":"way","type":"control.branch","config":{"condition":false,"value":"x"}},
	  {"id":"call","type":"io.http_request","config":{"method":"POST"}}],
	 "connections":[{"fromNodeId":"url","fromPort":"value","toNodeId":"call","toPort":"url"},{"fromNodeId":"way","fromPort":"truePath","toNodeId":"call","toPort":"body"}]}`
	server.do(201, "POST", "/workflows", hinted)
	b.visit("#/workflows/hinted")
	b.see(".hints", "call: ")
	b.blameless(server.url)
}

// sideways reports whether the page is wider than the window.
const sideways = `document.documentElement.scrollWidth > innerWidth`
