//go:build e2e && linux

package e2e_test

import (
	"os"
	"os/exec"
	"strings"
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
	require.Regexp(t, `Fires (in \d+ (hour|minute|second)s?|this minute|now|tomorrow), .*\d\d:00.*; then .*\d\d:00.*; .*\d\d:00`, evaluate[string](b, `document.querySelector(".trigger p").textContent`))
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

// TestPageHook calls a hook by the line that the page shows, as it is pasted.
func TestPageHook(t *testing.T) {
	server := launch(t, start{env: []string{"WEBHOOK_SHOP=a secret's $word of callers"}})
	const hooked = `{"id":"hooked","name":"Hooked","nodes":[
	  {"id":"plain","type":"trigger.webhook","label":"Plain","config":{"path":"plain/{what}","secret":"webhook:shop","respond":"result"}},
	  {"id":"signed","type":"trigger.webhook","label":"Signed","config":{"path":"signed","auth":"hmac","secret":"webhook:shop","respond":"result","methods":["PUT"]}},
	  {"id":"git","type":"trigger.webhook","label":"Of GitHub","config":{"path":"git","auth":"github","secret":"webhook:shop","respond":"result"}},
	  {"id":"seen","type":"trigger.webhook","label":"Looked at","config":{"path":"seen","secret":"webhook:shop","respond":"result","methods":["GET"]}},
	  {"id":"paid","type":"trigger.webhook","label":"Paid","config":{"path":"paid","auth":"stripe","secret":"webhook:shop"}},
	  {"id":"one","type":"control.merge"},{"id":"out","type":"io.output","config":{"name":"got"}}],"connections":[
	  {"fromNodeId":"plain","fromPort":"body","toNodeId":"one","toPort":"a"},{"fromNodeId":"signed","fromPort":"body","toNodeId":"one","toPort":"b"},
	  {"fromNodeId":"git","fromPort":"body","toNodeId":"one","toPort":"c"},{"fromNodeId":"seen","fromPort":"method","toNodeId":"one","toPort":"d"},
	  {"fromNodeId":"one","fromPort":"result","toNodeId":"out","toPort":"value"}]}`
	server.do(201, "POST", "/workflows", hooked)
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/workflows/hooked")
	b.press("▶ Start") // the first one, with nothing in it
	b.see(".head .state", "completed")
	b.visit("#/workflows/hooked")
	b.see(".triggers", "Not active")
	b.do(chromedp.Click(chromedp.CSS(".switch")))
	b.see(".triggers .mono", server.url+"/hooks/plain/{what}")
	b.see(".triggers", "It is called by who can sign for stripe.")
	b.picture("hooks")
	lines := evaluate[[]string](b, `[...document.querySelectorAll(".triggers .line")].map((one) => one.textContent)`)
	require.Len(t, lines, 4)
	for i, want := range []string{`"hello": *"world"`, `"hello": *"world"`, `"hello": *"world"`, `"got": *"GET"`} {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", lines[i])
		cmd.Env = append(os.Environ(), "SECRET=a secret's $word of callers")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, lines[i])
		require.Regexp(t, want, string(out), lines[i])
	}
	b.see(".triggers .state", "completed")

	// A later revision is not active, so the page does not show how to call its hook.
	server.do(201, "POST", "/workflows", strings.NewReplacer(`"path":"plain/{what}","secret"`, `"path":"plain/{what}","methods":["DELETE"],"auth":"basic","secret"`, `"label":"Plain"`, `"label":"Later"`).Replace(hooked))
	b.visit("#/runs")
	b.see("h1", "Runs")
	b.visit("#/workflows/hooked")
	b.see(".triggers", "Revision 1 starts itself; revision 2 is stored.")
	b.see(".triggers h3", "Plain")
	require.Equal(t, lines, evaluate[[]string](b, `[...document.querySelectorAll(".triggers .line")].map((one) => one.textContent)`))
	b.press("Copy")
	b.until(`getSelection().toString() !== "" || [...document.querySelectorAll(".triggers button")].some((one) => one.textContent === "Copied")`)
	b.blameless(server.url)
}
