//go:build linux

package xtest

import (
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Clipboard returns the text in the clipboard; "" if it is empty.
func (d *Desktop) Clipboard() string {
	text, _ := d.tool("xclip", "-selection", "clipboard", "-out") // an error means that no program owns it
	return text
}

// SetClipboard sets the text of the clipboard, as another program would.
func (d *Desktop) SetClipboard(text string) {
	d.t.Helper()
	owner := exec.Command("xclip", "-selection", "clipboard", "-in", "-quiet")
	owner.Env = d.env
	owner.Stdin = strings.NewReader(text)
	d.start(owner, io.Discard) // the owner must run for as long as the clipboard is needed
	require.Eventually(d.t, func() bool { return d.Clipboard() == strings.TrimSpace(text) }, patience, 20*time.Millisecond, "the clipboard takes the text")
}
