//go:build e2e && linux

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// lowContrast lists the texts that are hard to read against what is behind them, in the
// drawings, too: their contrast is below 4.5 (WCAG 2.2, 1.4.3).
const lowContrast = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [0, 1, 2].map((i) => [r, g, b][i] * a + under[i] * (1 - a));
  const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (element) => {
    const node = element.closest('g.node');
    const box = node && !element.matches('.middle') && node.querySelector(element.matches('.glyph') ? '.disc' : '.box:not(.under), .none');
    if (box) return rgba(getComputedStyle(box).fill).slice(0, 3);
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || element.closest('script, style, noscript, title, [hidden], option') || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    if (style.visibility === 'hidden') continue;
    const under = behind(element);
    let opacity = 1;
    for (let at = element; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
    const ink = rgba(element instanceof SVGElement ? style.fill : style.color);
    const [a, b] = [light(over([...ink.slice(0, 3), ink[3] * opacity], under)), light(under)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) found.push(contrast.toFixed(2) + ' ' + texts.currentNode.textContent.trim().slice(0, 40));
  }
  return [...new Set(found)].join(', ');
})()`

// tinyText is the smallest text of the page, in pixels.
const tinyText = `Math.min(...[...document.querySelectorAll('main *, header *')].filter((one) => !(one instanceof SVGElement) && !one.closest('svg') && one.getClientRects().length && [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())).map((one) => parseFloat(getComputedStyle(one).fontSize)))`

// axe returns the script of axe-core, which finds problems of accessibility.
func axe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/axe")))
	run(t, dir, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	script, err := os.ReadFile(filepath.Join(dir, "node_modules/axe-core/axe.min.js"))
	require.NoError(t, err)
	return string(script)
}

// grave lists what axe-core finds serious.
const grave = `axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.filter(({impact}) => impact === 'serious' || impact === 'critical').map(({id, nodes}) => id + ': ' + nodes.map((node) => node.html.slice(0, 120)).join(' | ')).join('\n'))`

// TestPageLooks takes screenshots of the page in two sizes and two colour schemes, and measures
// contrast, text sizes and accessibility in each.
func TestPageLooks(t *testing.T) {
	script := axe(t)
	data := filepath.Join(t.TempDir(), "data")
	server := launch(t, start{data: data})
	for _, text := range []string{summing, waiting, dividing, crossing, asking, shows, daily} {
		server.do(201, "POST", "/workflows", text)
	}
	const both = `{"id":"both","name":"Both ways","nodes":[{"id":"first","type":"control.delay","label":"A short wait","config":{"ms":1}},
	  {"id":"wait","type":"control.delay","label":"A long wait","config":{"ms":3600000}},{"id":"last","type":"preview.view","label":"Afterwards"}],
	  "connections":[{"fromNodeId":"first","fromPort":"value","toNodeId":"wait","toPort":"value"},{"fromNodeId":"wait","fromPort":"value","toNodeId":"last","toPort":"value"}]}`
	interrupted := server.start(both)
	server.waitFor(interrupted, "running")
	server.kill()
	server = launch(t, start{data: data})
	server.waitFor(interrupted, "failed")
	failed, cancelled, shown := server.start(dividing), server.start(both), server.start(shows)
	server.waitFor(failed, "failed")
	server.waitFor(shown, "completed")
	server.do(202, "POST", "/executions/"+cancelled+"/cancel", "")
	server.waitFor(cancelled, "cancelled")
	running := server.start(both)
	server.do(200, "POST", "/workflows/daily/activation", "")

	places := []struct{ name, hash, selector, text string }{
		{"list", "#/workflows", "td", "Divide"},
		{"runs", "#/runs", "td", "cancelled"},
		{"running", "#/runs/" + running, ".node .status", "running"},
		{"failed", "#/runs/" + failed, ".about .fault", "cannot divide"},
		{"cancelled", "#/runs/" + cancelled, ".head .state", "cancelled"},
		{"recovered", "#/runs/" + interrupted, ".told .fault", "interrupted"},
		{"shown", "#/runs/" + shown, ".looks .heading", "Title"},
		{"start", "#/workflows/asking", ".start label", "name"},
		{"triggers", "#/workflows/daily", ".trigger p", "Fires "},
		{"drawing", "#/workflows/crossing", ".sheet", "What one"},
		{"json", "#/workflows/crossing/json", ".verdict", "It can run."},
		{"accounts", "#/accounts", "td", "github"},
		{"api", "#/api", "summary", "/executions/{id}/events"},
	}
	var faults []string
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"wide", 1440, 900}, {"phone", 390, 844}} {
		b := browse(t, size.width, size.height)
		b.enter(server.url)
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			colours := map[bool]string{false: "light", true: "dark"}[dark]
			for _, place := range places {
				name := strings.Join([]string{"look", place.name, size.name, colours}, "-")
				b.visit(place.hash)
				b.see(place.selector, place.text)
				if place.name == "recovered" && size.name == "wide" {
					require.InDelta(t, 1, evaluate[float64](b, `document.querySelector('.graph svg > g').getCTM().a`), 0.01, "a small drawing has its own size")
				}
				b.picture(name)
				faults = append(faults, b.faultsOfLooks(name, script)...)
			}
		}
		b.blameless(server.url)
	}
	require.Empty(t, faults)
}

// faultsOfLooks lists the visual faults of the tab.
func (b *browser) faultsOfLooks(name, axe string) (faults []string) {
	b.t.Helper()
	fault := func(is bool, what string) {
		if is {
			faults = append(faults, name+": "+what)
		}
	}
	low := evaluate[string](b, lowContrast)
	fault(low != "", "low contrast of "+low)
	fault(evaluate[bool](b, sideways), "wider than the window")
	fault(evaluate[float64](b, tinyText) < 11, "tiny text")
	if evaluate[bool](b, `Boolean(document.querySelector('.graph'))`) {
		fault(evaluate[float64](b, smallest) < 11, "tiny text in the drawing")
		wires := evaluate[string](b, trespasses)
		fault(wires != "", "wires on cards: "+wires)
	}
	evaluate[any](b, axe+"; null")
	serious := evaluate[string](b, grave)
	fault(serious != "", serious)
	return faults
}

// TestPageByKeysAlone signs in, starts a run, looks at a node and cancels, without a mouse.
func TestPageByKeysAlone(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", waiting)
	b := browse(t, 1280, 900)
	b.do(chromedp.Navigate(server.url + "/"))
	b.see("h1", "needs its API key")
	b.do(chromedp.KeyEvent(binaryKey + "\r")) // the field has the focus
	b.see("td", "waiting")
	tabTo := func(expression string) {
		t.Helper()
		for range 60 {
			if evaluate[bool](b, `Boolean(document.activeElement) && ((one) => `+expression+`)(document.activeElement)`) {
				require.True(t, evaluate[bool](b, `(() => { const one = document.activeElement; const ring = one.matches('.face') ? getComputedStyle(one.querySelector('.box')).strokeWidth : getComputedStyle(one).outlineWidth; return parseFloat(ring) >= 2; })()`), "the focus is seen: %s", expression)
				return
			}
			b.do(chromedp.KeyEvent(kb.Tab))
		}
		require.Fail(t, "Tab never leads there", expression)
	}
	tabTo(`one.getAttribute('href') === '#/workflows/waiting'`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.see("h2", "Start a run")
	tabTo(`one.textContent === '▶ Start'`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.see(".node .status", "running")
	tabTo(`one.matches('.face')`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.see(".about h2", "wait")
	for range 40 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if evaluate[string](b, `document.activeElement.textContent`) == "Cancel" {
			break
		}
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	b.see(".head .state", "cancelled")
	b.blameless(server.url)
}
