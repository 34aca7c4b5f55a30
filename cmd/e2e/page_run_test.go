//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// dividing fails in the third round of a loop, unless it gets other items.
const dividing = `{"id":"dividing","name":"Divide","nodes":[
  {"id":"items","type":"io.input","config":{"name":"items","type":"list<int>","default":[1,2,0]}},
  {"id":"before","type":"listops.length","label":"Count first"},
  {"id":"each","type":"control.foreach","label":"Each of them","body":{"nodes":[
     {"id":"item","type":"io.input","config":{"name":"item","type":"int"}},{"id":"out","type":"io.output","config":{"name":"part"}},
     {"id":"divide","type":"json.query","label":"Divide it","config":{"filter":"8 / ."}}],
     "connections":[{"fromNodeId":"item","fromPort":"value","toNodeId":"divide","toPort":"value"},{"fromNodeId":"divide","fromPort":"result","toNodeId":"out","toPort":"value"}]}},
  {"id":"out","type":"io.output","config":{"name":"parts"}}],
 "connections":[
  {"fromNodeId":"items","fromPort":"value","toNodeId":"before","toPort":"list"},
  {"fromNodeId":"items","fromPort":"value","toNodeId":"each","toPort":"list"},
  {"fromNodeId":"each","fromPort":"part","toNodeId":"out","toPort":"value"}]}`

// press clicks on a button by what it says, or is called where it shows a sign, also while the page moves.
func (b *browser) press(text string) {
	b.t.Helper()
	named := `(one) => [one.textContent.trim(), one.ariaLabel].includes(` + strconv.Quote(text) + `)`
	b.until(`[...document.querySelectorAll('button')].some(` + named + `)`)
	require.True(b.t, evaluate[bool](b, `(() => {
	  const button = [...document.querySelectorAll('button')].filter(`+named+`).find((one) => one.getClientRects().length);
	  if (button) button.click();
	  return Boolean(button);
	})()`), text)
}

// TestPageRun looks at a run that failed in a loop, repairs and resumes it, and runs it
// again with other inputs.
func TestPageRun(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", dividing)
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/workflows/dividing")
	b.press("▶ Start")
	b.see(".head .state", "failed")
	// The node that failed comes first, in its body and its round.
	b.see(".crumbs", "Each of them")
	b.see(".about h2", "Divide it")
	b.see(".about .fault", "cannot divide")
	require.Equal(t, "2", evaluate[string](b, `document.querySelector('.items input').value`))
	require.Contains(t, evaluate[string](b, `document.querySelector('.crumbs').textContent`), "of 3")
	require.Contains(t, evaluate[string](b, `document.querySelector('.about').textContent`), "value0", "what it got in that round")
	require.Equal(t, "failed", evaluate[string](b, `document.querySelector('[data-id="divide"] .status').textContent`))
	require.Equal(t, "skipped", evaluate[string](b, `document.querySelector('[data-id="out"] .status').textContent`))
	require.Contains(t, evaluate[string](b, `document.querySelector('.timeline .name').textContent`), "Each of them", "failed nodes are the first of the list")
	require.Empty(t, evaluate[string](b, trespasses))
	require.InDelta(t, 1, evaluate[float64](b, `document.querySelector('.graph svg > g').getCTM().a`), 0.01, "what is small is shown in its own size")
	b.picture("run-failed")

	b.press("Item before")
	b.see(".about", "4") // 8 / 2
	require.Regexp(t, `ms$`, evaluate[string](b, `document.querySelector('[data-id="divide"] .status').textContent`))
	require.Contains(t, evaluate[string](b, `document.querySelector('.about').textContent`), "succeeded")
	b.do(chromedp.Click(chromedp.Search(`//nav[@class="crumbs"]/button[text()="Divide"]`)))
	b.see(".node .title", "Count first")
	b.do(chromedp.Click(chromedp.CSS(`[data-id="items"]`)))
	b.see(".about", "Input · io.input · items")
	require.Contains(t, evaluate[string](b, `document.querySelector('.inputs').textContent`), "items0: 11: 22: 0", "what it was started with")

	server.do(201, "POST", "/workflows", strings.Replace(dividing, "8 / .", ". + 8", 1))
	b.press("Repair and go on")
	b.see("p", "goes on with")
	b.see(".head .state", "completed")
	b.see(".node .status", "reused")
	b.clean()

	b.press("Run again")
	b.see(".again label", "items")
	b.do(chromedp.SetValue(chromedp.CSS("#input-items"), "[9007199254740993]"))
	b.press("▶ Start")
	b.see(".inputs .tree", "9007199254740993")
	b.see(".head .state", "completed")
	b.press("Run again")
	require.Equal(t, "[9007199254740993]", evaluate[string](b, `document.querySelector('#input-items').value`), "the same inputs, to the last digit")
	b.do(chromedp.Click(chromedp.Search(`//a[text()="workflow"]`)))
	b.see("h2", "Start a run")
	b.blameless(server.url)
}

// TestPageRunOfNobody runs a posted workflow again, which is stored nowhere.
func TestPageRunOfNobody(t *testing.T) {
	server := launch(t, start{})
	id := server.start(quick)
	server.waitFor(id, "completed")
	b := browse(t, 1280, 900)
	b.enter(server.url)
	b.visit("#/runs/" + id)
	b.see(".head .state", "completed")
	require.True(t, evaluate[bool](b, `[...document.querySelectorAll('button')].find((one) => one.textContent === 'Repair and go on').hidden`), "there is nothing to repair")
	b.press("Run again")
	b.press("▶ Start")
	b.until(`!location.hash.includes(` + strconv.Quote(id) + `)`)
	b.see(".head .state", "completed")
}

// TestPageListIsLive sees runs come and end without being loaded again, and counts what that
// asks of the server.
func TestPageListIsLive(t *testing.T) {
	server := launch(t, start{})
	b := browse(t, 1280, 900)
	b.enter(server.url)
	b.visit("#/runs")
	b.see("p", "No runs")
	id := server.start(waiting)
	b.see("td", "running")
	server.do(202, "POST", "/executions/"+id+"/cancel", "")
	b.see("td", "cancelled")
	const wait = `new Promise((resolve) => { const began = performance.now(); const look = () => performance.now() - began > 5000 ? resolve(performance.getEntriesByType('resource').filter((one) => one.startTime > began).length) : requestAnimationFrame(look); look(); })`
	require.LessOrEqual(t, evaluate[int](b, wait), 3, "requests in five seconds")
	b.visit("#/accounts")
	b.see("h1", "accounts")
	b.blameless(server.url)
}

// TestPageListsManyWorkflows sees more workflows than there are on one page of the list.
func TestPageListsManyWorkflows(t *testing.T) {
	server := launch(t, start{})
	for n := range 51 {
		server.do(201, "POST", "/workflows", fmt.Sprintf(`{"id":"w%02d","name":"Number %02d","nodes":[],"connections":[]}`, n, n))
	}
	b := browse(t, 1280, 900)
	b.enter(server.url)
	b.visit("#/workflows")
	b.see("td", "Number 49")
	const last = `[...document.querySelectorAll('td')].some((one) => one.textContent.includes('Number 50'))`
	require.False(t, evaluate[bool](b, last))
	b.press("Show more")
	b.until(last)
	require.Contains(t, evaluate[string](b, `document.querySelector('table').textContent`), "Number 00", "those of the first page stay")
	require.False(t, evaluate[bool](b, `[...document.querySelectorAll('button')].some((one) => one.textContent === 'Show more' && one.getClientRects().length)`))
	b.clean()
	b.blameless(server.url)
}

// shows has a node for each way of showing something.
const shows = `{"id":"shows","name":"Shows","nodes":[
  {"id":"rows","type":"preview.table","label":"A table","config":{"rows":[{"city":"Paris","n":1},{"city":"Rome","n":2}]}},
  {"id":"text","type":"preview.view","label":"Markdown","config":{"as":"markdown","value":"# Title\n\n**strong** <img src=x onerror=alert(1)>\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[web](https://example.com/) [bad](javascript:alert(1))"}},
  {"id":"tree","type":"preview.view","label":"A tree","config":{"as":"json","value":{"deep":{"er":[1,2,{"x":true}]}}}},
  {"id":"dot","type":"preview.image","label":"A picture","config":{"source":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"}},
  {"id":"far","type":"preview.image","label":"Far away","config":{"source":"https://example.com/cat.png"}}],"connections":[]}`

// TestPageShows has tables, pictures, Markdown and trees in the page without a click, and
// runs nothing that is in them.
func TestPageShows(t *testing.T) {
	server := launch(t, start{})
	id := server.start(shows)
	server.waitFor(id, "completed")
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/runs/" + id)
	b.see(".looks td", "Rome")
	b.see(".looks .heading", "Title")
	b.see(".looks strong", "strong")
	b.see(".looks .markdown", "<img src=x onerror=alert(1)>")
	b.see(".looks .markdown li", "☑ done")
	b.see(".looks .markdown td", "2")
	b.see(".looks .markdown", "bad (javascript:alert(1))")
	b.see(`.looks a[rel="noopener noreferrer"][href="https://example.com/"]`, "web")
	b.see(".looks", "https://example.com/cat.png")
	require.Equal(t, 1, evaluate[int](b, `document.querySelectorAll('img').length`), "only the picture that is in the value")
	require.Equal(t, 10, evaluate[int](b, `document.querySelector('img').naturalWidth`))
	b.do(chromedp.Click(chromedp.Search(`//summary[contains(., "deep")]`)))
	b.see(".tree .inside summary", "er: ")
	b.picture("shows")
	b.blameless(server.url)
}
