package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// MakeDir makes dir and its missing parents, accessible to the owner only, and syncs each
// before the next.
func MakeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(parent)
}

// SyncDir syncs dir, so that changes of its entries survive a loss of power. Windows and
// some file systems do not support this for directories, and order such changes themselves.
func SyncDir(dir string) error { return syncDir(machine{}, dir) }

func syncDir(in FS, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := in.OpenFile(dir, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// LeftAfter is the age from which an unchanged temporary file counts as abandoned. Writers
// never wait that long for data.
const LeftAfter = 10 * time.Minute

// Sweep removes temporary files that crashes left below dir: regular files with names as in
// [IsTemp] that have not changed for [LeftAfter]. It follows no links, and skips what it
// cannot read or remove. It returns only the error of ctx.
func Sweep(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() || !IsTemp(e.Name()) {
			return nil // continue with the rest
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > LeftAfter {
			_ = os.Remove(path) // otherwise the next Sweep tries again
		}
		return nil
	})
}
