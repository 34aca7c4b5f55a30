//go:build e2e && linux

package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPageAccounts sets a key for an API, tests it and forgets it.
func TestPageAccounts(t *testing.T) {
	server := launch(t, start{})
	b := browse(t, 1280, 900)
	b.dark(false)
	b.do(chromedp.Navigate(server.url + "/"))
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	b.see("h1", "No workflows yet")
	b.do(chromedp.Click(chromedp.CSS(`a[href="#/accounts"]`)))
	b.see("h1", "No accounts yet")
	b.do(chromedp.SendKeys(chromedp.CSS("#account-ref"), "http:crm"))
	require.True(t, evaluate[bool](b, `(() => {
		const kind = document.getElementById('account-kind');
		kind.value = 'basic';
		return kind.dispatchEvent(new Event('change'));
	})()`))
	b.do(chromedp.SendKeys(chromedp.CSS("#account-username"), "ann"), chromedp.SendKeys(chromedp.CSS("#account-password"), "canary"))
	b.do(chromedp.SendKeys(chromedp.CSS("#account-hosts"), "crm.example"), chromedp.Click(chromedp.CSS("form .main")))
	b.see("td", "http:crm")
	b.see("td", "basic crm.example")
	b.clean()
	b.picture("accounts")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Test"]`)))
	b.see("td", "It works.")
	require.NotContains(t, evaluate[string](b, `document.documentElement.outerHTML`), "canary")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Forget"]`)))
	b.see("h1", "No accounts yet")
	b.blameless(server.url)
}
