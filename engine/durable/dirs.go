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

// MakeDir makes dir and those above it that are missing, for their owner only, each on
// the disk before the next.
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

// SyncDir makes the names in dir survive a loss of power. Windows and some file systems
// have no such thing for a directory, and keep the order of such changes themselves.
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

// LeftAfter is how long nothing has been written to a file that is the leftover of a crash:
// no source of data is waited for as long.
const LeftAfter = 10 * time.Minute

// Sweep removes what crashes left below dir: files with names as [IsTemp] tells them,
// once nothing was written to them for [LeftAfter]. It follows no link, and what it cannot read or remove, it
// leaves. Its error is ctx's.
func Sweep(ctx context.Context, dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() || !IsTemp(e.Name()) {
			return nil // the rest is looked at all the same
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > LeftAfter {
			_ = os.Remove(path) // if not, it will be tried the next time
		}
		return nil
	})
}
