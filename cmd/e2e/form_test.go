//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// applying is a workflow that a form starts.
const applying = `{"id":"applying","name":"Apply","nodes":[
	{"id":"form","type":"trigger.form","config":{"path":"apply/abcdefghijklmnopqrstuvwx","title":"Apply for a tea room",
	  "description":"We read every letter.\nIt takes us a day.","respondText":"Thank you! We will write to you.","fields":[
	  {"name":"who","label":"Your name","required":true},{"name":"mail","label":"Your email","type":"email","required":true},
	  {"name":"age","label":"How old is the kettle?","type":"number"},{"name":"day","label":"From when on?","type":"date"},
	  {"name":"tea","label":"Which tea?","type":"choice","choices":["Green","Black","Rooibos, which is none"],"required":true},
	  {"name":"why","label":"Why tea, of all drinks that there are in the world, and not something that needs no kettle?","type":"long"},
	  {"name":"cv","label":"A picture of the kettle","type":"file","required":true},
	  {"name":"terms","label":"I have read what is said about biscuits","type":"checkbox","required":true},
	  {"name":"news","label":"Write to me when there is news","type":"checkbox"}]}},
	{"id":"at","type":"json.path","config":{"path":"$.path"}},{"id":"read","type":"io.file_read"},
	{"id":"picture","type":"io.output","config":{"name":"picture"}},{"id":"who","type":"io.output","config":{"name":"who"}}],
	"connections":[{"fromNodeId":"form","fromPort":"cv","toNodeId":"at","toPort":"value"},{"fromNodeId":"at","fromPort":"result","toNodeId":"read","toPort":"path"},
	  {"fromNodeId":"read","fromPort":"content","toNodeId":"picture","toPort":"value"},{"fromNodeId":"form","fromPort":"who","toNodeId":"who","toPort":"value"}]}`

const applyPath = "/hooks/apply/abcdefghijklmnopqrstuvwx"

// TestForm fills a form in with a file, on a phone and on a desk, with scripts and without.
func TestForm(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", applying)
	server.do(200, "POST", "/workflows/applying/activation", "")
	kettle := filepath.Join(t.TempDir(), "kettle.txt")
	require.NoError(t, os.WriteFile(kettle, []byte("a kettle"), 0o600))
	for _, tt := range []struct {
		name          string
		width, height int64
		dark, scripts bool
	}{{"phone", 390, 844, true, false}, {"desk", 1280, 900, false, true}} {
		t.Run(tt.name, func(t *testing.T) {
			b := browse(t, tt.width, tt.height)
			b.dark(tt.dark)
			b.do(command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !tt.scripts}))
			b.do(chromedp.Navigate(server.url + applyPath + "?mail=ada..l@example.com"))
			b.see("h1", "Apply for a tea room")
			require.False(t, evaluate[bool](b, sideways))
			b.picture("form-" + tt.name)
			b.do(chromedp.SendKeys(chromedp.CSS("#field-who"), "Ada "+tt.name), chromedp.SendKeys(chromedp.CSS("#field-why"), "Why not?"))
			b.do(chromedp.SetValue(chromedp.CSS("#field-tea"), "Green"), chromedp.Click(chromedp.CSS("#field-terms")))
			b.do(chromedp.SetUploadFiles(chromedp.CSS("#field-cv"), []string{kettle}), chromedp.Click(chromedp.CSS("button")))

			// The email is wrong. The form keeps all values except the file.
			b.see("#fault-mail", "This is no email address; write it as ada@example.com.")
			b.see("#again-cv", "Choose kettle.txt again")
			require.Equal(t, "Ada "+tt.name+" Why not? Green true false", evaluate[string](b, `['who', 'why', 'tea'].map((one) => document.querySelector('#field-' + one).value).join(' ') + ' ' +
				document.querySelector('#field-terms').checked + ' ' + document.querySelector('#field-news').checked`))
			require.Equal(t, "Error: Apply for a tea room", evaluate[string](b, `document.title`))
			require.Equal(t, "fault-mail", evaluate[string](b, `document.querySelector('#field-mail').getAttribute('aria-describedby')`))
			require.Equal(t, "notice", evaluate[string](b, `document.activeElement.className`), "who cannot see is told")
			require.False(t, evaluate[bool](b, sideways))
			b.picture("form-fault-" + tt.name)
			b.do(chromedp.Clear(chromedp.CSS("#field-mail")), chromedp.SendKeys(chromedp.CSS("#field-mail"), "ada@example.com"))
			b.do(chromedp.SetUploadFiles(chromedp.CSS("#field-cv"), []string{kettle}), chromedp.Click(chromedp.CSS("button")))
			b.see(".words", "Thank you! We will write to you.")
			b.picture("form-thanks-" + tt.name)
			b.blameless(server.url)

			runID := field(t, server.do(200, "GET", "/triggers/applying/form/last", ""), "runId")
			var run struct {
				Status string
				Result struct{ Outputs map[string]any }
			}
			require.Eventually(t, func() bool {
				require.NoError(t, json.Unmarshal(server.do(200, "GET", "/executions/"+runID, "").body, &run))
				return run.Status == "completed"
			}, time.Minute, 20*time.Millisecond)
			require.Equal(t, map[string]any{"picture": "a kettle", "who": "Ada " + tt.name}, run.Result.Outputs)
		})
	}
}

// TestFormLeadsAway sends a browser to another site behind a form.
func TestFormLeadsAway(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<h1>The other site</h1>"))
	}))
	t.Cleanup(site.Close)
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", `{"id":"away","nodes":[{"id":"form","type":"trigger.form","config":{"path":"apply/abcdefghijklmnopqrstuvwx","title":"Away",
		"fields":[{"name":"who"}],"respond":"redirect","redirectTo":"`+site.URL+`/thanks"}}],"connections":[]}`)
	server.do(200, "POST", "/workflows/away/activation", "")
	b := browse(t, 1280, 900)
	b.do(chromedp.Navigate(server.url+applyPath), chromedp.SendKeys(chromedp.CSS("#field-who"), "Ada\r"))
	b.see("h1", "The other site")
}
