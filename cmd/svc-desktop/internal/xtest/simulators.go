//go:build linux

package xtest

import (
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Simulators starts svc-sim, which simulates networks for the programs started from now on;
// accounts of both networks are connected.
func (d *Desktop) Simulators(program string) {
	d.t.Helper()
	cmd := exec.Command(program, "--addr", "127.0.0.1:0")
	cmd.Env = d.env
	var variables, log output
	cmd.Stdout = &variables
	ended := d.start(cmd, &log)
	require.Eventually(d.t, func() bool {
		select {
		case <-ended:
			require.FailNow(d.t, "svc-sim has ended", log.text())
		default:
		}
		return strings.Contains(log.text(), "listening on") && strings.Contains(variables.text(), "PRONET_TOKEN_URL")
	}, patience, 10*time.Millisecond, "svc-sim tells where it is")
	for _, line := range regexp.MustCompile(`(?m)^export (\w+)='(.*)'$`).FindAllStringSubmatch(variables.text(), -1) {
		d.Setenv(line[1], line[2])
	}
}
