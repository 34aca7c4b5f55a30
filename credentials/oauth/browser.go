package oauth

import (
	"fmt"
	"io"

	"github.com/pkg/browser"

	"github.com/svcflow/svc/credentials/network"
)

// SystemBrowser returns the function that opens addresses in the user's browser, for
// [Loopback]. It opens only addresses that [network.CheckAddress] accepts, since the
// system's opener also opens files and starts programs. The browser's own output goes to
// output. Call it once, when the program starts: the library keeps output in variables of
// the process.
func SystemBrowser(output io.Writer) (open func(address string) error) {
	browser.Stdout, browser.Stderr = output, output
	return func(address string) error {
		if err := checkLoginPage(address); err != nil {
			return err
		}
		return browser.OpenURL(address)
	}
}

// checkLoginPage returns [ErrPage] for an address that users must not be sent to.
func checkLoginPage(address string) error {
	if err := network.CheckAddress(address); err != nil {
		return fmt.Errorf("%w: its address %w", ErrPage, err)
	}
	return nil
}
