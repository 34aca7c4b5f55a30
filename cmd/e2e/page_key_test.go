//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf16"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPageKey types the key once: it survives a reload, other tabs get it, forgetting it
// counts for all of them, and no file of the browser ever holds it.
func TestPageKey(t *testing.T) {
	server := launch(t, start{})
	profile := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.UserDataDir(profile))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	defer cancel()
	tab := func(parent context.Context) *browser {
		b := &browser{t: t}
		var end context.CancelFunc
		b.ctx, end = chromedp.NewContext(parent)
		t.Cleanup(end)
		b.do(chromedp.Navigate("about:blank")) //nolint:contextcheck // a browser has the context of its tab
		return b
	}
	first := tab(ctx)
	first.do(chromedp.Navigate(server.url + "/"))
	first.see("#key-place", "api-key")
	first.see("#key-place", "svc serve")
	first.do(chromedp.SendKeys(chromedp.CSS("#key"), "not the right key at all\r"))
	first.see(".fault", "does not take this key")
	first.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	first.see("h1", "No workflows yet")
	first.do(chromedp.Reload())
	first.see("h1", "No workflows yet")
	require.Empty(t, evaluate[string](first, `document.cookie + Object.values(localStorage).join()`))
	require.NotContains(t, evaluate[string](first, `JSON.stringify(sessionStorage) + window.name`), binaryKey)

	second := tab(first.ctx)
	second.do(chromedp.Navigate(server.url + "/#/runs"))
	second.see("h1", "Runs")
	second.do(chromedp.Click(chromedp.CSS("#forget")))
	second.see("h1", "needs its API key")
	first.see("h1", "needs its API key")
	first.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	first.see("h1", "No workflows yet")
	second.see("h1", "Runs")

	cancel() // the browser ends, and has written what it wants to keep
	requireNowhere(t, profile, binaryKey)
}

// requireNowhere requires that no file of a folder holds a text.
func requireNowhere(t *testing.T, folder, text string) {
	t.Helper()
	var wide []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	files := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // what the browser has removed meanwhile
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		files++
		require.False(t, bytes.Contains(content, []byte(text)) || bytes.Contains(content, wide), path)
		return nil
	}))
	require.Greater(t, files, 5, "the browser has a profile")
}
