package filestore

import (
	"errors"
	"io/fs"
	"os"
)

// sameFile reports whether a and b describe the same, unchanged file. A copy, which replaces a link
// where links are not supported, has the same time and size.
func sameFile(a, b fs.FileInfo) bool {
	return a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// exists returns false only if path certainly does not exist.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
