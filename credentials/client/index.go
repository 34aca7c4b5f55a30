package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/internal/disk"
)

// indexFile lists the accounts, since keyrings cannot list their entries. It contains no
// secret.
const indexFile = "accounts.json"

// account describes one credential.
type account struct {
	Ref       credentials.Ref `json:"ref"`
	Scopes    []string        `json:"scopes,omitempty"`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
}

// index is the content of the file, sorted by reference.
type index []account

// accounts reads the index. If the file does not exist, there are no accounts.
func (s *store) accounts() (index, error) {
	text, err := os.ReadFile(s.path(indexFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, s.failed(err)
	}
	var accounts index
	if json.Unmarshal(text, &accounts) != nil {
		return nil, fmt.Errorf("%w: %s in the folder of accounts is damaged; delete it and connect the accounts again", credentials.ErrMalformed, indexFile)
	}
	return accounts, nil
}

func (s *store) saveAccounts(accounts index) error {
	text, err := json.MarshalIndent(accounts, "", "  ")
	if err != nil {
		return err
	}
	return s.failed(disk.Replace(s.path(indexFile), append(text, '\n')))
}

func (i index) has(ref credentials.Ref) bool {
	return slices.ContainsFunc(i, func(a account) bool { return a.Ref == ref })
}

func (i index) without(ref credentials.Ref) index {
	return slices.DeleteFunc(slices.Clone(i), func(a account) bool { return a.Ref == ref })
}

func (i index) with(added account) index {
	all := append(i.without(added.Ref), added)
	slices.SortFunc(all, func(a, b account) int { return cmp.Compare(a.Ref, b.Ref) })
	return all
}

// List implements [credentials.Provider]. It reads only the index, so the keyring need not
// be unlocked.
func (s *store) List(ctx context.Context) ([]credentials.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	accounts, err := s.accounts()
	infos := make([]credentials.Info, 0, len(accounts))
	for _, a := range accounts {
		infos = append(infos, credentials.Info{Ref: a.Ref, Source: string(InKeyring), Scopes: a.Scopes, ExpiresAt: a.ExpiresAt})
	}
	return infos, err
}
