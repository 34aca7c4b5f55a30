package oauth

import (
	"fmt"
	"io"

	"github.com/pkg/browser"

	"github.com/svcflow/svc/credentials/network"
)

// SystemBrowser returns the function that opens addresses in the user's browser,
// for [Loopback]. It opens nothing but what [network.CheckAddress] accepts, whoever
// sent the address: what opens a web page opens a file or starts a program, too. What
// the browser prints goes to output. Call it once, when the program starts: the library
// holds the output in variables of the process.
func SystemBrowser(output io.Writer) (open func(address string) error) {
	browser.Stdout, browser.Stderr = output, output
	return func(address string) error {
		if err := checkLoginPage(address); err != nil {
			return err
		}
		return browser.OpenURL(address)
	}
}

// checkLoginPage accepts an address that a user may be sent to; else it is [ErrPage].
func checkLoginPage(address string) error {
	if err := network.CheckAddress(address); err != nil {
		return fmt.Errorf("%w: its address %w", ErrPage, err)
	}
	return nil
}
