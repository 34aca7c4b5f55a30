//go:build unix

package app

import (
	"io/fs"
	"syscall"
)

// fileNumber returns what a file system tells files of the same name apart by; 0 if it does not.
func fileNumber(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
