//go:build e2e && linux

package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPageBodiesOnCards looks at a run of a loop whose body is shown on its card.
func TestPageBodiesOnCards(t *testing.T) {
	server := launch(t, start{})
	unfolded := strings.NewReplacer(
		`"label":"Each of them"`, `"label":"Each of them","size":{"w":640,"h":480}`, `"default":[1,2,0]`, `"default":[1,2,4]`,
	).Replace(dividing)
	id := server.start(unfolded)
	server.waitFor(id, "completed")
	b := browse(t, 1440, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/runs/" + id)
	b.see(".head .state", "completed")
	b.see(".inside", "Each of them")
	b.until(`document.querySelector('[data-id="each/divide"] .status').textContent !== ''`)
	require.True(t, evaluate[bool](b, `document.querySelector('[data-id="each/divide"]').classList.contains('succeeded')`))
	require.True(t, evaluate[bool](b, `(() => {
	  const [inner, ground] = ['[data-id="each/divide"] .box', '[data-id="each"] .ground'].map((one) => document.querySelector(one).getBoundingClientRect());
	  return inner.left > ground.left && inner.right < ground.right && inner.top > ground.top && inner.bottom < ground.bottom;
	})()`), "it lies in its frame")
	// The page describes the nodes of the chosen step.
	b.press("›")
	b.press("›")
	b.press("›")
	require.Equal(t, "2", evaluate[string](b, `document.querySelector('.inside input').value`))
	evaluate[any](b, `document.querySelector('[data-id="each/divide"] .face').dispatchEvent(new MouseEvent('click', {bubbles: true}))`)
	b.see(".about h2", "Divide it")
	b.until(`/value\s*4/.test(document.querySelector('.about').textContent)`)
	require.True(t, evaluate[bool](b, `document.querySelector('[data-id="each/divide"]').classList.contains('chosen')`))
	require.Empty(t, evaluate[string](b, trespasses))
	b.picture("body-on-card")
	b.blameless(server.url)
}
