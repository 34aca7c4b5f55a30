package oauth

import (
	"io"

	"github.com/pkg/browser"
)

// SystemBrowser returns the function that opens addresses in the user's browser,
// for [Loopback]. What the browser prints goes to output. Call it once, when the
// program starts: the library holds the output in variables of the process.
func SystemBrowser(output io.Writer) (open func(address string) error) {
	browser.Stdout, browser.Stderr = output, output
	return browser.OpenURL
}
