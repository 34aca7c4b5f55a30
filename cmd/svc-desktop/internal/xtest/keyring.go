//go:build linux

package xtest

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Keyring gives the user an unlocked keyring, and returns the address of its bus. Call it
// before a program is started.
func (d *Desktop) Keyring() (bus string) {
	d.t.Helper()
	broker := exec.Command("dbus-daemon", "--session", "--nofork", "--print-address")
	broker.Env = d.env
	address, err := broker.StdoutPipe()
	require.NoError(d.t, err)
	d.start(broker, io.Discard)
	line, err := bufio.NewReader(address).ReadString('\n')
	require.NoError(d.t, err)
	bus = strings.TrimSpace(line)
	d.Setenv("DBUS_SESSION_BUS_ADDRESS", bus)

	daemon := exec.Command("gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock")
	daemon.Env = d.env
	daemon.Stdin = strings.NewReader("password")
	d.start(daemon, io.Discard)
	require.Eventually(d.t, func() bool {
		_, err := d.tool("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
			"org.freedesktop.DBus.GetNameOwner", "string:org.freedesktop.secrets")
		return err == nil
	}, patience, 50*time.Millisecond, "the keyring is on the bus")
	return bus
}
