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
	// keyFile is the file for it in the data directory.
	keyFile = "api-key"
	// keyBytes is the number of random bytes of a new key.
	keyBytes = 32
	// minKey is the length of the shortest accepted key, in characters.
	minKey = 16
)

// KeyFile returns the path of the API key in a data directory. A server makes the file.
func KeyFile(dir string) string {
	path, err := filepath.Abs(filepath.Join(dir, keyFile))
	if err != nil {
		return filepath.Join(dir, keyFile)
	}
	return path
}

// storedKey returns the API key in the data directory. If the file is missing, storedKey makes
// a key and stores it. Errors never contain the key.
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
	if err != nil && !errors.Is(err, fs.ErrExist) { // if the file exists now, use the key of the process that made it
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
