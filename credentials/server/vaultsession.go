package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/openbao/openbao/api/v2"
	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/credentials"
)

// session is a logged-in client for one engine and one folder in it. All paths (place)
// are relative to that folder.
type session struct {
	client *api.Client
	path   string
	login  api.AuthMethod
	log    *slog.Logger
	turn   *semaphore.Weighted // held by the goroutine that uses the fields below

	loggedIn bool
	settled  time.Time // until then a rejection does not mean that the token has expired
	mount    string    // of the engine, without slashes at its ends; "" if unknown
}

// errNoVault means that the answer is not from a vault.
var errNoVault = errors.New("not found")

// newLogin is how long after a login its token is assumed to be valid, unless its lease is
// shorter. Without it, a policy that forbids something would cause a login for each
// request.
const newLogin = 10 * time.Second

func newSession(client *api.Client, path string, login api.AuthMethod, log *slog.Logger) *session {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &session{client: client, path: path, login: login, log: log, turn: semaphore.NewWeighted(1)}
}

// get returns the newest version at place. Its Data is nil if the version was deleted or
// does not exist.
func (s *session) get(ctx context.Context, place string) (secret *api.KVSecret, err error) {
	err = s.do(ctx, func(mount, folder string) (err error) {
		secret, err = s.client.KVv2(mount).Get(ctx, path.Join(folder, place))
		if errors.Is(err, api.ErrSecretNotFound) {
			secret, err = &api.KVSecret{}, nil
		}
		return err
	})
	return secret, err
}

// version returns the number of the newest version at place, or 0.
func (s *session) version(ctx context.Context, place string) (int, error) {
	secret, err := s.get(ctx, place)
	if err != nil || secret.VersionMetadata == nil {
		return 0, err
	}
	return secret.VersionMetadata.Version, nil
}

// put stores data as the version after the one given and returns its number, or
// [credentials.ErrConflict] if the newest version is another one.
func (s *session) put(ctx context.Context, place string, data map[string]any, version int) (next int, err error) {
	err = s.do(ctx, func(mount, folder string) error {
		secret, err := s.client.KVv2(mount).Put(ctx, path.Join(folder, place), data, api.WithCheckAndSet(version))
		if err == nil {
			next = secret.VersionMetadata.Version
		}
		return err
	})
	return next, err
}

// destroy removes all versions at place for good.
func (s *session) destroy(ctx context.Context, place string) error {
	return s.do(ctx, func(mount, folder string) error {
		kv, at := s.client.KVv2(mount), path.Join(folder, place)
		versions, err := kv.GetVersionsAsList(ctx, at)
		if errors.Is(err, api.ErrSecretNotFound) {
			return nil // another process has destroyed them
		}
		if err != nil {
			return err
		}
		numbers := make([]int, 0, len(versions))
		for _, v := range versions {
			numbers = append(numbers, v.Version)
		}
		return kv.Destroy(ctx, at, numbers)
	})
}

// list returns the names in the folder at place. Those of folders end with a slash.
func (s *session) list(ctx context.Context, place string) (names []string, err error) {
	err = s.do(ctx, func(mount, folder string) error {
		listed, err := s.client.Logical().ListWithContext(ctx, path.Join(mount, "metadata", folder, place))
		if err != nil || listed == nil {
			return err
		}
		keys, _ := listed.Data["keys"].([]any)
		for _, key := range keys {
			if name, ok := key.(string); ok {
				names = append(names, name)
			}
		}
		return nil
	})
	return names, err
}

// do logs in if needed, and calls request with the mount of the engine and the folder in
// it. If the vault rejects the token, it logs in again and retries once. The error is safe
// to show.
func (s *session) do(ctx context.Context, request func(mount, folder string) error) error {
	var err error
	for range 2 {
		var token string
		if token, err = s.try(ctx, request); !s.outlived(ctx, token, err) {
			break
		}
	}
	return s.explain(ctx, err)
}

// try calls request once, and returns the token that it used.
func (s *session) try(ctx context.Context, request func(mount, folder string) error) (token string, err error) {
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return "", err
	}
	if !s.loggedIn {
		err = s.logIn(ctx)
	}
	if err == nil && s.mount == "" {
		err = s.findMount(ctx)
	}
	mount, token := s.mount, s.client.Token()
	s.turn.Release(1)
	if err != nil {
		return token, err
	}
	folder := strings.Trim(strings.TrimPrefix(s.path, mount), "/")
	return token, request(mount, folder)
}

// outlived reports whether err may come from an expired token, and if so makes the next
// request log in again.
func (s *session) outlived(ctx context.Context, token string, err error) bool {
	if status(err) != http.StatusForbidden || errors.Is(err, errLogin) || s.turn.Acquire(ctx, 1) != nil {
		return false
	}
	defer s.turn.Release(1)
	if s.client.Token() != token {
		return true // another goroutine has logged in again
	}
	if time.Now().Before(s.settled) {
		return false
	}
	s.loggedIn = false
	return true
}

func (s *session) logIn(ctx context.Context) error {
	secret, err := s.client.Auth().Login(ctx, s.login)
	if err != nil {
		return fmt.Errorf("%w: %w", errLogin, err)
	}
	good := newLogin
	if lease := time.Duration(secret.Auth.LeaseDuration) * time.Second; lease > 0 {
		good = min(good, lease)
	}
	s.loggedIn, s.settled = true, time.Now().Add(good)
	return nil
}

// findMount finds the part of the path that is the mount of an engine, and checks that the
// engine can be used.
func (s *session) findMount(ctx context.Context) error {
	found, err := s.client.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts/"+s.path)
	if err != nil {
		return err
	}
	if found == nil {
		return errNoVault
	}
	mount, _ := found.Data["path"].(string)
	options, _ := found.Data["options"].(map[string]any)
	if kind, _ := found.Data["type"].(string); kind != "kv" || options["version"] != "2" {
		return fmt.Errorf("%w: the engine at %s in the vault is not a key-value engine of version 2", credentials.ErrUnavailable, mount)
	}
	s.mount = strings.Trim(mount, "/")
	return nil
}
