package client

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/internal/disk"
)

// An entry that is too large for the keyring is encrypted with AES-256-GCM in a file, and
// the keyring holds the key. Each revision has a new key and a new file, so entry and file
// always match, and no file can be replaced by another.

// seal writes text to an encrypted file and returns the keyring entry with its key.
func (s *store) seal(ref credentials.Ref, revision int64, text []byte) ([]byte, error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	aead, err := newAEAD(key)
	if err != nil {
		return nil, err
	}
	sealed := aead.Seal(nil, nil, text, nil)
	if err := disk.Replace(s.sealedPath(ref, revision), sealed); err != nil {
		return nil, err
	}
	return json.Marshal(entry{Revision: revision, Key: key})
}

// open decrypts the entry in the file that outer has the key of.
func (s *store) open(ref credentials.Ref, outer entry) (entry, error) {
	sealed, err := os.ReadFile(s.sealedPath(ref, outer.Revision))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return entry{}, damaged(ref)
	case err != nil:
		return entry{}, s.failed(err)
	}
	aead, err := newAEAD(outer.Key)
	if err != nil {
		return entry{}, damaged(ref)
	}
	text, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return entry{}, damaged(ref)
	}
	return parse(string(text))
}

func damaged(ref credentials.Ref) error {
	return fmt.Errorf("%w: the file of %s is missing or damaged; connect the account again", credentials.ErrMalformed, ref)
}

// newAEAD returns a cipher that prepends a random nonce to the ciphertext.
func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

const sealedSuffix = ".sealed"

func (s *store) sealedPath(ref credentials.Ref, revision int64) string {
	return s.path(fileName(ref) + "-" + strconv.FormatInt(revision, 10) + sealedSuffix)
}

// sweep removes the files of ref that belong to other revisions than keep.
func (s *store) sweep(ref credentials.Ref, keep int64) error {
	files, err := os.ReadDir(s.dir)
	errs := []error{err}
	for _, file := range files {
		path := s.path(file.Name())
		if strings.HasPrefix(file.Name(), fileName(ref)) && strings.HasSuffix(path, sealedSuffix) && path != s.sealedPath(ref, keep) {
			errs = append(errs, os.Remove(path))
		}
	}
	return s.failed(errors.Join(errs...))
}
