package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// tempName is the one name of a file that is being written. Whoever writes holds
// the lock, so a file of this name is a leftover of a crash and may be replaced.
const tempName = ".save.tmp"

// writeTemp puts text into a new file at path, with modified as its time, and
// returns once both are on the disk. It leaves no file behind when it fails.
func writeTemp(path string, text []byte, modified time.Time) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = os.Chtimes(path, time.Time{}, modified)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// moveInto renames temp to path, replacing what is there, and returns once the
// directory is on the disk too.
func moveInto(temp, path string) error {
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in dir survive a loss of power. Windows cannot do that
// for a directory and does not need it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// makeDir makes dir and those above it, each on the disk before the next.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(parent)
}

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
