package service

import (
	"cmp"
	"context"
	"regexp"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/svcflow/svc/credentials"
)

// selves caches the account id of each token: networks limit this request strictly, and the
// answer never changes.
type selves struct {
	mu    sync.Mutex
	known map[credentials.Ref]*self
}

type self struct {
	turn  *semaphore.Weighted // a mutex whose wait ends with a context; guards token and id
	token credentials.Secret
	id    string
}

func (s *selves) of(ref credentials.Ref) *self {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[credentials.Ref]*self{}
	}
	if s.known[ref] == nil {
		s.known[ref] = &self{turn: semaphore.NewWeighted(1)}
	}
	return s.known[ref]
}

var accountID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Self returns the id of the account of ref. It makes the call "me" once for each token.
// Errors are those of [API.Do].
func (a *API) Self(ctx context.Context, ref credentials.Ref) (string, error) {
	c, err := a.secrets.Resolve(ctx, ref)
	if err != nil {
		return "", credentialError{err}
	}
	s := a.selves.of(ref)
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer s.turn.Release(1)
	if s.id != "" && s.token == c.Access {
		return s.id, nil
	}
	id, err := a.askSelf(ctx, ref)
	if err == nil {
		s.id, s.token = id, c.Access
	}
	return id, err
}

func (a *API) askSelf(ctx context.Context, ref credentials.Ref) (string, error) {
	var answer struct {
		ID   string `json:"id"`
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if _, err := a.Do(ctx, Call{Name: "me", Ref: ref}, &answer); err != nil {
		return "", err
	}
	if id := cmp.Or(answer.ID, answer.Data.ID); accountID.MatchString(id) {
		return id, nil
	}
	return "", a.fail(CodeBadAnswer, "me", "the network did not say which account the credential belongs to")
}
