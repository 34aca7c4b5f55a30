//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// invoice adds up, waits for somebody and writes a letter.
const invoice = `{
  "id": "invoice",
  "name": "Invoice",
  "description": "Writes what a customer owes.",
  "nodes": [
    {"id": "customer", "type": "io.input", "config": {"name": "customer", "type": "string", "required": true, "description": "Who pays."}},
    {"id": "amounts", "type": "io.input", "config": {"name": "amounts", "type": "list<float>", "default": [10, 20.5, 12]}},
    {"id": "wait", "type": "io.input", "config": {"name": "wait", "type": "int", "default": 20}},
    {"id": "sum", "type": "listops.sum", "label": "Add up"},
    {"id": "ask", "type": "control.delay", "label": "Ask the warehouse"},
    {"id": "tax", "type": "json.query", "label": "With tax", "config": {"filter": ". * 2"}},
    {"id": "write", "type": "text.format", "label": "Write", "config": {"template": "{name} owes {total}."}},
    {"id": "letter", "type": "io.output", "config": {"name": "letter"}},
    {"id": "total", "type": "io.output", "config": {"name": "total"}}
  ],
  "connections": [
    {"fromNodeId": "amounts", "fromPort": "value", "toNodeId": "sum", "toPort": "list"},
    {"fromNodeId": "wait", "fromPort": "value", "toNodeId": "ask", "toPort": "ms"},
    {"fromNodeId": "sum", "fromPort": "sum", "toNodeId": "ask", "toPort": "value"},
    {"fromNodeId": "ask", "fromPort": "value", "toNodeId": "tax", "toPort": "value"},
    {"fromNodeId": "customer", "fromPort": "value", "toNodeId": "write", "toPort": "name"},
    {"fromNodeId": "tax", "fromPort": "result", "toNodeId": "write", "toPort": "total"},
    {"fromNodeId": "write", "fromPort": "result", "toNodeId": "letter", "toPort": "value"},
    {"fromNodeId": "tax", "fromPort": "result", "toNodeId": "total", "toPort": "value"}
  ]
}
`

// TestWalk goes all the way on a computer that has nothing yet: install, serve behind nginx
// with TLS, log in, bring workflows there, run one from a terminal, from a program with a
// generated client and from the page, read its outputs, break it, repair it and resume it.
func TestWalk(t *testing.T) {
	m := newMachine(t)
	require.Contains(t, m.run("svc version"), "svc ")
	public, pin := m.serve()

	key, err := os.ReadFile(filepath.Join(m.home, "data", "api-key"))
	require.NoError(t, err)
	require.Contains(t, m.terminal("svc login "+public, string(key)), "logged in at "+public)
	m.write("flows/invoice.json", invoice)
	m.run("svc templates greeting > flows/greeting.json && svc templates group-and-sum > flows/group-and-sum.json")
	synced := m.terminal("svc sync flows", "y\n")
	require.Contains(t, synced, "upload    invoice  new: flows/invoice.json")
	require.Contains(t, synced, "done: 3 changes")

	screen := m.terminal("svc run invoice --input customer=Ada", "")
	require.Contains(t, screen, "✓ ask  ")
	require.Contains(t, screen, "letter: Ada owes 85.\n")
	require.Contains(t, m.run("svc runs show last"), "output    total: 85\n")
	client := m.generatedClient(public)
	require.Equal(t, answered{Status: "completed", Events: 14, Outputs: map[string]any{"letter": "Grace owes 85.", "total": 85.0}}, client("Grace"))

	b := m.browse(pin, 1440, 900)
	b.dark(false)
	b.signIn(public, strings.TrimSpace(string(key)))
	b.see("td", "Invoice")
	b.fillIn("Mary", "20")
	b.see(".head .state", "completed")
	b.see("section", "Mary owes 85.")
	b.picture("walk-completed")

	m.run(`sed -i 's/\. \* 2/. \/ (. - .)/' flows/invoice.json`)
	require.Contains(t, m.run("svc sync flows --yes"), "done: 1 change\n")
	b.fillIn("Emmy", "20")
	b.see(".head .state", "failed")
	b.see(".about .fault", "cannot divide")
	b.picture("walk-failed")
	require.Equal(t, "failed", client("Grace").Status)
	out, err := m.try("svc run invoice --input customer=Ada", "")
	require.ErrorContains(t, err, "exit status 1", out)

	m.run(`sed -i 's/\. \/ (\. - \.)/. * 3/' flows/invoice.json`)
	m.run("svc sync flows --yes")
	b.press("Repair and go on")
	b.see("p", "goes on with")
	b.see(".head .state", "completed")
	b.see("section", "Emmy owes 127.5.")
	b.see(`[data-id="ask"] .status`, "reused")
	b.picture("walk-repaired")
	var failed []struct{ RunID string }
	require.NoError(t, json.Unmarshal([]byte(m.run("svc runs list --status failed --output json 2>/dev/null")), &failed))
	resumed := strings.TrimSpace(m.run("svc runs resume " + failed[0].RunID + " --workflow current 2>/dev/null"))
	require.Contains(t, m.run("svc runs follow "+resumed), "letter: Ada owes 127.5.\n")

	b.onThePhone(pin, m, public, strings.TrimSpace(string(key)))
	b.blameless(public)
}

// serve starts the server and nginx before it.
func (m *machine) serve() (public, pin string) {
	m.t.Helper()
	dir, address := m.t.TempDir(), freeAddress(m.t)
	pin = m.certify(dir)
	public = "https://" + address
	log, err := os.Create(filepath.Join(m.home, "log"))
	require.NoError(m.t, err)
	cmd := exec.Command(filepath.Join(m.home, "bin", "svc"), "serve", "--addr", "127.0.0.1:0", "--data", "data", "--public-url", public)
	cmd.Dir, cmd.Env, cmd.Stderr = m.home, m.env, log
	require.NoError(m.t, cmd.Start())
	require.NoError(m.t, log.Close())
	m.t.Cleanup(func() {
		require.NoError(m.t, cmd.Process.Signal(os.Interrupt))
		require.NoError(m.t, cmd.Wait(), "it ends well")
	})
	var local []string
	require.Eventually(m.t, func() bool {
		text, _ := os.ReadFile(log.Name())
		local = listening.FindStringSubmatch(string(text))
		return local != nil && healthy(local[1]+"/")
	}, time.Minute, 10*time.Millisecond)
	nginx(m.t, dir, address, local[1])
	require.Eventually(m.t, func() bool {
		out, err := m.try("curl -sSf "+public, "") // which trusts the authority
		return err == nil && strings.Contains(out, `"status":"ok"`)
	}, time.Minute, 50*time.Millisecond)
	return public, pin
}

// answered is what the program with the generated client prints.
type answered struct {
	Status  string
	Events  int
	Outputs map[string]any
}

// generatedClient makes a client of the server's description, compiles a program with it,
// and returns what runs that, with a key that may read and run only.
func (m *machine) generatedClient(public string) func(customer string) answered {
	m.t.Helper()
	m.run("svc keys create program --scope read,run > program.key")
	require.NoError(m.t, os.CopyFS(filepath.Join(m.home, "client"), os.DirFS("testdata/walk")))
	run(m.t, filepath.Join(m.home, "client"), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund") // which trusts what others do
	m.run(`curl -sSf -H "Authorization: Bearer $(cat program.key)" ` + public + `/openapi.json > client/openapi.json`)
	m.run("cd client && ./node_modules/.bin/openapi-ts -i openapi.json -o api && ./node_modules/.bin/tsc")
	return func(customer string) (got answered) {
		m.t.Helper()
		inputs, err := json.Marshal(map[string]string{"customer": customer})
		require.NoError(m.t, err)
		out := m.run("SVC_URL=" + public + " SVC_API_KEY=$(cat program.key) node client/out/client.js invoice '" + string(inputs) + "'")
		require.NoError(m.t, json.Unmarshal([]byte(out), &got), out)
		return got
	}
}

// signIn opens the page and types the key.
func (b *browser) signIn(url, key string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url + "/"))
	b.see("h1", "needs its API key")
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), key+"\r"))
	b.see("h1", "Workflows")
}

// fillIn starts the invoice of a customer by its form.
func (b *browser) fillIn(customer, wait string) {
	b.t.Helper()
	b.visit("#/workflows/invoice")
	b.see("label", "customer *")
	b.do(chromedp.SetValue(chromedp.CSS("#input-wait"), wait), chromedp.SendKeys(chromedp.CSS("#input-customer"), customer+"\r"))
	b.until(`location.hash.startsWith("#/runs/")`)
}

// onThePhone starts a run, looks at it and cancels it, on a small screen.
func (b *browser) onThePhone(pin string, m *machine, public, key string) {
	b.t.Helper()
	phone := m.browse(pin, 390, 844)
	phone.dark(true)
	phone.signIn(public, key)
	phone.fillIn("Rosa", "3600000")
	phone.see(".node.running", "Ask the warehouse")
	phone.picture("walk-running-phone")
	require.False(b.t, evaluate[bool](phone, sideways))
	phone.press("Cancel")
	phone.see(".head .state", "cancelled")
	phone.picture("walk-cancelled-phone")
	phone.visit("#/runs")
	phone.see("td", "cancelled")
	phone.picture("walk-runs-phone")
	phone.blameless(public)
}
