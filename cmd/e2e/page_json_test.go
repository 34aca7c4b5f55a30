//go:build e2e && linux

package e2e_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPageJSON pastes a workflow, follows its problems to their lines, and saves it against
// another user who saves it, too.
func TestPageJSON(t *testing.T) {
	server := launch(t, start{})
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.do(chromedp.Click(chromedp.Search(`//a[text()="New from JSON"]`)))
	b.see(".verdict", "Its problems will be listed here.")
	paste := func(text string) {
		b.do(chromedp.SetValue(chromedp.CSS("#document"), text))
		evaluate[any](b, `document.querySelector('#document').dispatchEvent(new Event('input'))`)
	}
	paste("{\n  \"id\": \"ü\",\n  \"nodes\": [}")
	b.see(".verdict", "Line 3, column 13 This is no JSON: a value is expected here.")
	paste("{\n  \"id\": \"ü\",\n  \"nodes\": [{\"id\": \"a\", \"type\": \"no.such\"},\n   {\"id\": \"b\", \"type\": \"text.format\",\n    \"confg\": {}}],\n  \"connections\": []}")
	b.see(".verdict", "Line 5")
	b.see(".verdict", "unknown field")
	fixed := "{\n  \"id\": \"ü\",\n  \"nodes\": [{\"id\": \"a\", \"type\": \"no.such\"},\n   {\"id\": \"b\", \"type\": \"control.foreach\",\n    \"body\": {\"nodes\": [\n      {\"id\": \"c\", \"type\": \"text.format\", \"config\": {\n        \"template\": \"{\"}}],\n      \"connections\": []}}],\n  \"connections\": [\n    {\"fromNodeId\": \"a\", \"fromPort\": \"x\", \"toNodeId\": \"gone\", \"toPort\": \"y\"}]}"
	paste(fixed)
	b.see(".verdict li", "Line 3, column 13 a: ")
	b.see(".verdict li", "Line 7, column 21 b/c: ")
	b.see(".verdict li", "Line 10, column 5 ")
	b.picture("json")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Line 7, column 21"]`)))
	require.Equal(t, "document "+`"`, evaluate[string](b, `document.activeElement.id + ' ' + document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)`))

	good := strings.Replace(quick, "{", "{\n ", 1)
	paste(good)
	b.see(".verdict", "It can run.")
	b.press("Save")
	b.see("h2", "Start a run")
	require.Contains(t, string(server.do(200, "GET", "/workflows/quick", "").body), `"quick"`)
	b.visit("#/new")
	b.see("h1", "New from JSON")
	paste(good)
	b.press("Save")
	b.see(".verdict", "There is already a workflow with this id.")

	b.visit("#/workflows/quick/json")
	b.see("h1", "quick")
	server.do(201, "POST", "/workflows", strings.Replace(quick, `"value":1`, `"value":2`, 1))
	paste(strings.Replace(quick, `"value":1`, `"value":9007199254740993`, 1))
	b.press("Save")
	b.see(".verdict", "Somebody has changed this workflow")
	require.Contains(t, string(server.do(200, "GET", "/workflows/quick", "").body), `2`)
	b.press("Save over it")
	b.see("h2", "Start a run")
	require.Contains(t, string(server.do(200, "GET", "/workflows/quick", "").body), `9007199254740993`)
	b.visit("#/workflows/quick/json")
	b.see("h1 + .grow + a", "Back")
	require.Contains(t, evaluate[string](b, `document.querySelector('#document').value`), "9007199254740993")
	b.clean()
}
