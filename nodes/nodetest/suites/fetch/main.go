// Command fetch makes sure that the suites of others are at hand, and prints the folder
// they are in: the one that SVC_TEST_DATA names, which it only checks, or else the one
// named by its argument, into which it loads what is missing. `make conformance` uses it.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/svcflow/svc/nodes/nodetest/suites"
)

func main() {
	folder, given := os.Getenv(suites.Variable), true
	if folder == "" {
		folder, given = os.Args[1], false
	}
	client := &http.Client{Timeout: time.Minute}
	for _, s := range suites.All() {
		err := check(folder, s)
		if errors.Is(err, fs.ErrNotExist) && !given {
			err = load(context.Background(), client, folder, s)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", s.Path, err)
			os.Exit(1)
		}
	}
	fmt.Println(folder)
}

// check says what is wrong with a file of a suite.
func check(folder string, s suites.Suite) error {
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.Path)))
	if err != nil {
		return err
	}
	return known(s, text)
}

// known says if a text is not the suite that is meant.
func known(s suites.Suite, text []byte) error {
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); got != s.SHA256 {
		return fmt.Errorf("it is not the version that is tested against: its SHA-256 is %s, not %s", got, s.SHA256)
	}
	return nil
}

// load puts a suite into the folder.
func load(ctx context.Context, client *http.Client, folder string, s suites.Suite) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("%w (without a network, let %s name a folder that has it)", err, suites.Variable)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", s.URL, answer.Status)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if err := known(s, text); err != nil {
		return err
	}
	path := filepath.Join(folder, filepath.FromSlash(s.Path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
