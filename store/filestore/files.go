package filestore

import (
	"errors"
	"io/fs"
	"os"
)

// sameFile reports whether two looks at files have seen the same one, unchanged.
// Copies of a file, where links are impossible, have its time and size.
func sameFile(a, b fs.FileInfo) bool {
	return a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// exists is false only if path is certainly not there.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
