package serving

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/durable"
)

const (
	// KeyVariable is the environment variable that may hold the API key.
	KeyVariable = "SVC_API_KEY"
	// keyFile is where the data directory keeps it otherwise.
	keyFile = "api-key"
	// keyBytes is how much randomness a new key has.
	keyBytes = 32
	// minKey is the length of the shortest key that is taken, in characters.
	minKey = 16
)

// KeyFile is where a data directory keeps the API key, once a server has made one.
func KeyFile(dir string) string {
	path, err := filepath.Abs(filepath.Join(dir, keyFile))
	if err != nil {
		return filepath.Join(dir, keyFile)
	}
	return path
}

// storedKey returns the API key in the data directory. If there is none, it makes
// one and stores it first. Neither it nor its errors show the key.
func storedKey(dir string) (key string, made bool, err error) {
	path := filepath.Join(dir, keyFile)
	err = os.MkdirAll(dir, 0o750)
	if err == nil {
		key, err = readKey(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return key, false, err
		}
		err = writeKey(path)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // else another process was faster: its key counts
		return "", false, fmt.Errorf("cannot store an API key, so the server does not start: %w; "+
			"choose another --data directory or set %s", err, KeyVariable)
	}
	made = err == nil
	key, err = readKey(path)
	return key, made, err
}

// readKey returns the key in a file that only its owner can read.
func readKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("others can read the API key in %s (its mode is %04o); run: chmod 600 %s", path, mode, program.Shell(path))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	key := strings.TrimRight(string(text), "\r\n")
	if len(key) < minKey {
		return "", fmt.Errorf("the API key in %s is shorter than %d characters; delete the file to get a new key", path, minKey)
	}
	return key, nil
}

// writeKey stores a new key at path, which must not exist.
func writeKey(path string) error {
	random := make([]byte, keyBytes)
	_, _ = rand.Read(random) // never fails
	return durable.Create(path, []byte(base64.RawURLEncoding.EncodeToString(random)+"\n"), durable.Options{})
}
