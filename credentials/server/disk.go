package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/internal/disk"
)

// maxCredentialsFile is the largest credentials file, in bytes.
const maxCredentialsFile = 4 << 20

// read returns the current content of the file.
func (f *File) read(ctx context.Context) (*variables, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	vars, err := f.load()
	if err != nil {
		return nil, fmt.Errorf("%w: credentials file: %w", credentials.ErrUnavailable, err)
	}
	return vars, nil
}

// load reads the file; a missing file is empty. Errors do not contain the path, since they
// are shown to people who do not operate the server.
func (f *File) load() (*variables, error) {
	text, err := readPrivate(f.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return parseVariables(text)
}

// readPrivate returns the text of a file that only its owner can read.
func readPrivate(path string) (string, error) {
	text, mode, err := readRegular(path, maxCredentialsFile)
	if mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("its mode is %04o, so others can read it; run chmod 600 on it", mode)
	}
	return text, err
}

// readRegular returns the text and the permissions of a file that has no more
// than most bytes. Errors do not repeat the path.
func readRegular(path string, most int64) (text string, mode fs.FileMode, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, withoutPath(err)
	}
	if !info.Mode().IsRegular() { // a pipe could be read only once
		return "", 0, errors.New("it is not a regular file")
	}
	mode = info.Mode().Perm()
	f, err := os.Open(path)
	if err != nil {
		return "", mode, withoutPath(err)
	}
	defer func() { _ = f.Close() }() // opened for reading only
	all, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", mode, withoutPath(err)
	}
	if int64(len(all)) > most {
		return "", mode, fmt.Errorf("it has more than %d bytes", most)
	}
	return string(all), mode, nil
}

func withoutPath(err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err
	}
	if linkError, ok := errors.AsType[*os.LinkError](err); ok {
		return linkError.Err
	}
	return err
}

// write replaces the text of the file. Callers must hold the lock.
func (f *File) write(text string) error {
	path, err := filepath.EvalSymlinks(f.path) // a symbolic link is kept
	if errors.Is(err, fs.ErrNotExist) {
		path, err = f.path, nil
	}
	if err == nil {
		err = disk.Replace(path, []byte(text))
	}
	return writeError(err)
}

// writeError converts an error of writing to [credentials.ErrReadOnly] if this process may
// not write.
func writeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: the server may not change the credentials file", credentials.ErrReadOnly)
	}
	return fmt.Errorf("%w: write the credentials file: %w", credentials.ErrUnavailable, withoutPath(err))
}

// lock acquires the lock of this name, which excludes this process and others.
func (f *File) lock(ctx context.Context, name string) (unlock func(), err error) {
	hidden := "." + filepath.Base(f.path) + name + ".lock"
	unlock, err = disk.Lock(ctx, filepath.Join(filepath.Dir(f.path), hidden))
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return unlock, writeError(err)
}
