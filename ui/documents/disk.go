package documents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// replace returns once text is the file at path, on the disk. At any moment the file
// is complete, with the old text or the new one. temp is a file in the same folder
// that nobody else uses. perm is subject to the umask unless it is exact.
func replace(path, temp string, text []byte, perm fs.FileMode, exact bool) error {
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil && exact {
		err = file.Chmod(perm)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, remove(temp))
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the names in dir survive a loss of power. Windows cannot do that for
// a directory and does not need it.
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

// remove is os.Remove for what may be gone already.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
