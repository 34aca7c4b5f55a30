//go:build e2e && linux

package e2e_test

import (
	"encoding/json"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// enter opens the page of a server and types the key.
func (b *browser) enter(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url + "/"))
	b.see("h1", "needs its API key")
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	b.see("h1", "orkflows")
}

// visit opens a view of the page, after the key was entered.
func (b *browser) visit(hash string) {
	b.t.Helper()
	evaluate[any](b, `location.hash = `+strconv.Quote(hash))
}

// trespasses returns the wires of the drawing that touch a card at neither of their ends.
const trespasses = `(() => {
  const found = [];
  const cards = [...document.querySelectorAll('g.node')].map((node) => ({id: node.dataset.id, box: node.querySelector('.box:not(.under), .disc').getBBox()}));
  for (const wire of document.querySelectorAll('path.wire')) {
    const length = wire.getTotalLength();
    for (let at = 0; at <= length; at += 2) {
      const {x, y} = wire.getPointAtLength(at);
      for (const {id, box} of cards) {
        if (wire.dataset.from.startsWith(id + '/')) continue; // it lies on that
        const near = id === wire.dataset.from && at < 14 || id === wire.dataset.to && at > length - 14;
        const own = id === wire.dataset.from || id === wire.dataset.to;
        const room = own ? -2 : 2;
        if (!near && x > box.x - room && x < box.x + box.width + room && y > box.y - room && y < box.y + box.height + room) {
          found.push(wire.dataset.from + ' → ' + wire.dataset.to + ' over ' + id);
          at = length;
        }
      }
    }
  }
  return found.join(', ');
})()`

// smallest is the size of the smallest text that can be seen in the drawing, in pixels.
const smallest = `(() => {
  let least = 1000;
  for (const text of document.querySelectorAll('.graph text, .graph .sheet')) {
    if (!text.textContent.trim() || getComputedStyle(text).display === 'none') continue;
    const scale = text.getScreenCTM ? text.getScreenCTM().a : document.querySelector('.graph svg > g').getScreenCTM().a;
    least = Math.min(least, parseFloat(getComputedStyle(text).fontSize) * scale);
  }
  return least;
})()`

// crossing has wires that would run under cards: between its ends, and back.
const crossing = `{"id":"crossing","name":"Crossing","nodes":[
  {"id":"a","type":"io.input","config":{"name":"a","type":"string","default":"x"},"position":{"x":0,"y":0}},
  {"id":"b","type":"text.format","config":{"template":"{v}"},"position":{"x":260,"y":0}},
  {"id":"c","type":"text.format","config":{"template":"{v}{w}"},"position":{"x":520,"y":0}},
  {"id":"back","type":"preview.view","position":{"x":0,"y":200}},
  {"id":"out","type":"io.output","config":{"name":"out"},"position":{"x":800,"y":0}}],
 "connections":[{"fromNodeId":"a","fromPort":"value","toNodeId":"b","toPort":"v"},{"fromNodeId":"b","fromPort":"result","toNodeId":"c","toPort":"v"},
  {"fromNodeId":"a","fromPort":"value","toNodeId":"c","toPort":"w"},{"fromNodeId":"a","fromPort":"value","toNodeId":"out","toPort":"value"},
  {"fromNodeId":"c","fromPort":"result","toNodeId":"back","toPort":"value"}],
 "groups":[{"id":"g","label":"Both formats","nodeIds":["b","c"],"color":"#4F8FD6"}],
 "notes":[{"id":"n","text":"What one should know.","position":{"x":300,"y":200},"size":{"w":160,"h":80}}]}`

// TestPageDrawsWiresAroundCards looks at every template, and at a workflow that somebody
// has placed badly.
func TestPageDrawsWiresAroundCards(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", crossing)
	ids := []string{"crossing"}
	listed, err := exec.Command(program(t), "templates").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(listed)) {
		name := strings.Fields(line)[0]
		text, err := exec.Command(program(t), "templates", name).Output()
		require.NoError(t, err)
		server.do(201, "POST", "/workflows", string(text))
		var def struct{ ID string }
		require.NoError(t, json.Unmarshal(text, &def))
		ids = append(ids, def.ID)
	}
	b := browse(t, 1440, 900)
	b.dark(false)
	b.enter(server.url)
	for _, id := range ids {
		b.visit("#/workflows/" + id)
		b.see("h1 + .mono", id)
		b.picture("graph-" + id)
		require.Empty(t, evaluate[string](b, trespasses), id)
		require.GreaterOrEqual(t, evaluate[float64](b, smallest), 11.0, id)
		b.picture("graph-" + id)
	}
	b.blameless(server.url)
}

// TestPageDrawingIsMoved zooms by keys, buttons and the wheel, and goes by keys alone.
func TestPageDrawingIsMoved(t *testing.T) {
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", crossing)
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/workflows/crossing")
	b.see(".label", "Both formats")
	b.see(".sheet", "What one should know.")
	zoom := func() float64 { return evaluate[float64](b, `document.querySelector('.graph svg > g').getCTM().a`) }
	require.InDelta(t, 1, zoom(), 0.01)
	for range 6 {
		b.do(chromedp.Click(chromedp.CSS(`[aria-label="Make smaller"]`)))
		require.GreaterOrEqual(t, evaluate[float64](b, smallest), 11.0, "names stay legible at %v", zoom())
	}
	require.Less(t, zoom(), 0.4)
	evaluate[any](b, `document.querySelector('.graph').focus()`)
	b.do(chromedp.KeyEvent("0"))
	require.InDelta(t, 1, zoom(), 0.01)
	b.do(chromedp.KeyEvent("+"))
	require.InDelta(t, 1.25, zoom(), 0.01)
	evaluate[any](b, `document.querySelector('.graph').dispatchEvent(new WheelEvent('wheel', {deltaY: 100, ctrlKey: true, bubbles: true, cancelable: true, clientX: 300, clientY: 300}))`)
	require.Less(t, zoom(), 1.0)
	require.True(t, evaluate[bool](b, `document.querySelector('.graph').dispatchEvent(new WheelEvent('wheel', {deltaY: 100, bubbles: true, cancelable: true}))`), "the wheel alone is the page's")
	evaluate[any](b, `document.querySelector('.face[tabindex="0"]').focus()`)
	const focused = `document.activeElement.parentElement.dataset.id`
	require.Equal(t, "a", evaluate[string](b, focused))
	for _, step := range [][2]string{{kb.ArrowRight, "b"}, {kb.ArrowRight, "c"}, {kb.ArrowLeft, "b"}} {
		b.do(chromedp.KeyEvent(step[0]))
		require.Equal(t, step[1], evaluate[string](b, focused))
	}
	b.do(chromedp.KeyEvent("\r"))
	b.see("section", "Format text · text.format · b")
	before := evaluate[string](b, `document.querySelector('.graph svg > g').getAttribute('transform')`)
	evaluate[any](b, `(() => {
	  const graph = document.querySelector('.graph');
	  const at = (type, x) => graph.dispatchEvent(new PointerEvent(type, {pointerId: 7, button: 0, clientX: x, clientY: 300, bubbles: true}));
	  graph.setPointerCapture = () => {};
	  at('pointerdown', 300); at('pointermove', 320); at('pointermove', 360); at('pointerup', 360);
	})()`)
	require.NotEqual(t, before, evaluate[string](b, `document.querySelector('.graph svg > g').getAttribute('transform')`))
	wide := zoom()
	evaluate[any](b, `(() => {
	  const graph = document.querySelector('.graph');
	  const at = (type, id, x) => graph.dispatchEvent(new PointerEvent(type, {pointerId: id, button: 0, clientX: x, clientY: 300, bubbles: true}));
	  at('pointerdown', 1, 300); at('pointerdown', 2, 400); at('pointermove', 2, 500); at('pointerup', 1, 300); at('pointerup', 2, 500);
	})()`)
	require.Greater(t, zoom(), wide, "two fingers")
	b.blameless(server.url)
}
