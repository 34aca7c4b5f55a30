package nodetest

import (
	"os"
	"path/filepath"
	"strings"
)

// ProcessesIn returns the number of processes whose working directory is below a folder.
// With it, tests check that nodes leave no processes behind. On systems without /proc it
// returns 0.
func ProcessesIn(folder string) (n int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd") // the pattern is valid
	for _, link := range all {
		if at, err := os.Readlink(link); err == nil && strings.HasPrefix(at, folder+"/") {
			n++
		}
	}
	return n
}
