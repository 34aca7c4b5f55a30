//go:build e2e && linux

package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// daily fires at eight in the morning of Berlin, and each hour.
const daily = `{"id":"daily","name":"Digest","nodes":[
  {"id":"morning","type":"trigger.schedule","label":"Each morning","config":{"cron":"0 8 * * *","timezone":"Europe/Berlin"}},
  {"id":"hand","type":"trigger.manual","label":"By hand","config":{"sample":"from the sample"}},
  {"id":"when","type":"control.merge"},{"id":"out","type":"io.output","config":{"name":"said"}}],
 "connections":[{"fromNodeId":"morning","fromPort":"scheduled","toNodeId":"when","toPort":"a"},{"fromNodeId":"hand","fromPort":"payload","toNodeId":"when","toPort":"b"},
  {"fromNodeId":"when","fromPort":"result","toNodeId":"out","toPort":"value"}]}`

// TestPageTriggers arms and disarms a workflow by its switch, and starts it by one of its
// triggers.
func TestPageTriggers(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", daily)
	server.do(201, "POST", "/workflows", clockwork(1))
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/workflows/daily")
	b.see(".triggers", "Not active")
	b.see(".triggers", "Nothing starts it by itself.")
	evaluate[any](b, `document.querySelector('.switch').focus()`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.see(".triggers", "Fires ")
	require.Equal(t, "true", evaluate[string](b, `document.querySelector('.switch').getAttribute('aria-checked')`))
	require.Equal(t, "daily", field(t, server.do(200, "GET", "/workflows/daily/activation", ""), "workflowId"))
	require.Regexp(t, `Fires (in \d+ (hours|minutes)|tomorrow), .*\d\d:00.*; then .*\d\d:00.*; .*\d\d:00`, evaluate[string](b, `document.querySelector(".trigger p").textContent`))
	b.see(".triggers", "Times are those of ")
	b.see(".triggers", "It has not fired yet.")
	b.clean()
	b.picture("triggers-active")

	// Another revision is stored, and nothing changes until it is activated.
	server.do(201, "POST", "/workflows", daily[:len(daily)-1]+`,"description":"Once more."}`)
	b.see(".triggers", "Revision 1 starts itself; revision 2 is stored.")
	b.press("Activate what is stored now")
	b.until(`document.querySelector('.triggers').textContent.includes('Fires') && !document.querySelector('.triggers').textContent.includes('is stored.')`)

	// It is tried by hand.
	b.do(chromedp.SetValue(chromedp.CSS("#firing"), "hand"), chromedp.SetValue(chromedp.CSS("#payload"), `{"payload":`))
	b.press("▶ Start")
	b.see("#payload-fault", "the text ends too early")
	b.do(chromedp.SetValue(chromedp.CSS("#payload"), `{"payload":"as written"}`))
	b.press("▶ Start")
	b.see("section", "as written")

	b.visit("#/workflows/clockwork")
	b.do(chromedp.Click(chromedp.CSS(".switch")))
	b.see(".triggers .state", "completed")
	b.see(".triggers", "Fired ")
	b.see(".triggers a.mono", "-")
	b.picture("triggers-fired")
	b.do(chromedp.Click(chromedp.CSS(".switch")))
	b.see(".triggers", "Not active")
	require.Equal(t, 404, server.do(404, "GET", "/workflows/clockwork/activation", "").status)
	b.blameless(server.url)
}

// TestPageInbox shows firings that wait, drops one of them, and starts a workflow with what
// has fired last.
func TestPageInbox(t *testing.T) {
	server := launch(t, start{})
	const slow = `{"id":"slow","name":"Slow","nodes":[{"id":"tick","type":"trigger.schedule","label":"Each second","config":{"every":"1s"}},
	  {"id":"wait","type":"control.delay","config":{"ms":3600000}}],"connections":[{"fromNodeId":"tick","fromPort":"scheduled","toNodeId":"wait","toPort":"value"}]}`
	server.do(201, "POST", "/workflows", slow)
	server.do(200, "POST", "/workflows/slow/activation", "")
	b := browse(t, 390, 844)
	b.dark(true)
	b.enter(server.url)
	b.visit("#/workflows/slow")
	b.see(".triggers .state", "waiting")
	require.False(t, evaluate[bool](b, sideways))
	b.picture("inbox-workflow")
	b.press("Use last event")
	b.until(`document.querySelector("#payload").value.includes("scheduled")`)
	b.do(chromedp.Click(chromedp.CSS(`.triggers a[href="#/runs?status=waiting"]`)))
	b.see("h1", "Runs")
	b.see("td .state", "waiting")
	require.Equal(t, "waiting", evaluate[string](b, `document.querySelector("select").value`))
	b.picture("inbox")
	b.do(chromedp.Click(chromedp.CSS("td a.mono")))
	b.see(".head .state", "waiting")
	b.see("p", "by the trigger Each second")
	b.press("Cancel")
	b.see(".head .state", "cancelled")
	server.do(204, "DELETE", "/workflows/slow/activation", "")
	b.blameless(server.url)
}
