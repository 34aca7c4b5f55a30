package nodetest

import (
	"os"
	"path/filepath"
	"strings"
)

// ProcessesIn counts the processes that work below a folder, for nodes that start programs
// there: none may be left behind. Only systems with /proc tell; elsewhere there are none.
func ProcessesIn(folder string) (n int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is in order
	for _, link := range all {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, folder+"/") {
			n++
		}
	}
	return n
}
