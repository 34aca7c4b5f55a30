package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/svcflow/svc/credentials"
)

// How long a login may take, how long its result is stored, and how many logins may be
// under way.
const (
	LoginLife   = 10 * time.Minute
	OutcomeLife = 10 * time.Minute
	MaxLogins   = 1000
)

// ErrTooManyLogins means that [MaxLogins] logins are under way.
var ErrTooManyLogins = errors.New("too many logins are under way; try again in some minutes")

// ErrUnknownLogin means that there is no login with this id, or that its result is no
// longer stored.
var ErrUnknownLogin = errors.New("there is no such login; it may be over for long")

// Logins are the logins of a server. A login begins with an authorized request, ends when
// a browser comes back from the network, and can be polled in between. Logins are kept in
// memory, so all requests have to reach the same process, unless [Logins.KeepIn] shares
// them. Make them with [NewLogins]. They are safe for concurrent use.
type Logins struct {
	target   credentials.Provider
	clients  Clients
	redirect func(network string) string
	kept     LoginStore
	seal     seal
}

// NewLogins returns logins whose credentials are stored in target before the browser gets
// its answer. redirect returns the redirect address for a network, which has to be
// registered there.
func NewLogins(target credentials.Provider, clients Clients, redirect func(network string) string) *Logins {
	return &Logins{target: target, clients: clients, redirect: redirect, kept: &MemoryLogins{}, seal: newSeal(rand.Text())}
}

// KeepIn stores logins in a store that other processes share. They need the same secret,
// from which the key is derived that encrypts stored logins. Call it before the first
// login.
func (l *Logins) KeepIn(s LoginStore, secret string) { l.kept, l.seal = s, newSeal(secret) }

// underWay is the stored state of a login, for when its browser comes back.
type underWay struct {
	Ref      credentials.Ref `json:"ref"`
	State    string          `json:"state"`
	Verifier string          `json:"verifier,omitempty"`
	Redirect string          `json:"redirect"`
}

// Begin begins to connect the account of ref. Its errors are those of [Clients.Client] and
// of the [LoginStore], [ErrTooManyLogins], and [credentials.ErrReadOnly] if the target
// could not store the credential.
func (l *Logins) Begin(ctx context.Context, ref credentials.Ref) (credentials.Login, error) {
	client, err := l.clients.Client(ref.Network())
	if err != nil {
		return credentials.Login{}, err
	}
	if err := l.checkWritable(ctx, ref); err != nil {
		return credentials.Login{}, err
	}
	login, id := client.Begin(l.redirect(ref.Network())), rand.Text()
	text, err := json.Marshal(underWay{ref, login.State(), login.verifier.Reveal(), login.redirectURL})
	if err != nil {
		return credentials.Login{}, err
	}
	if err := l.kept.BeginLogin(ctx, KeptLogin{ID: id, Network: ref.Network(), Sealed: l.seal.close(id, text)}, sha256.Sum256([]byte(login.State()))); err != nil {
		return credentials.Login{}, err
	}
	return credentials.Login{AuthorizeURL: login.AuthorizeURL(), LoginID: id, ExpiresAt: time.Now().Add(LoginLife).UTC()}, nil
}

// checkWritable returns the target's CheckWritable error, if it has this method.
func (l *Logins) checkWritable(ctx context.Context, ref credentials.Ref) error {
	target, ok := l.target.(interface {
		CheckWritable(context.Context, credentials.Ref) error
	})
	if !ok {
		return nil
	}
	return target.CheckWritable(ctx, ref)
}

// Finish ends a login with the query that the browser brings back, and stores the
// credential. A query without a login of the network changes nothing and is [ErrState];
// the first query of a login uses it up. Other errors are those of [Login.Finish], of the
// target and of the [LoginStore].
func (l *Logins) Finish(ctx context.Context, network string, query url.Values) error {
	state, ok := single(query, "state")
	if !ok {
		return ErrState
	}
	// A browser that is closed too early must not cancel the exchange of the only code.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewal)
	defer cancel()
	kept, err := l.kept.TakeLogin(ctx, network, sha256.Sum256([]byte(state)))
	switch {
	case errors.Is(err, ErrUnknownLogin):
		return ErrState
	case err != nil:
		return err
	}
	login, err := l.open(&kept)
	if err != nil {
		return ErrState // another process began it with another secret
	}
	outcome := credentials.LoginOutcome{State: credentials.LoginComplete, Ref: login.Ref}
	err = l.finish(ctx, &login, query)
	if err != nil {
		outcome = failedLogin(login.Ref, err)
	}
	if text, wrong := json.Marshal(outcome); wrong == nil {
		_ = l.kept.EndLogin(ctx, kept.ID, text) // if this fails, the login stays pending for callers of Outcome
	}
	return err
}

func failedLogin(ref credentials.Ref, err error) credentials.LoginOutcome {
	return credentials.LoginOutcome{State: credentials.LoginFailed, Ref: ref, Code: Code(err), Detail: err.Error()}
}

// open decrypts the stored state of a login.
func (l *Logins) open(kept *KeptLogin) (login underWay, err error) {
	text, err := l.seal.open(kept.ID, kept.Sealed)
	if err == nil {
		err = json.Unmarshal(text, &login)
	}
	return login, err
}

func (l *Logins) finish(ctx context.Context, login *underWay, query url.Values) error {
	client, err := l.clients.Client(login.Ref.Network())
	if err != nil {
		return err
	}
	c, err := client.goOn(login).Finish(ctx, query)
	if err != nil {
		return err
	}
	if locker, ok := l.target.(credentials.Locker); ok { // a renewal of the old credential must not overwrite the new one
		unlock, err := locker.Lock(ctx, login.Ref)
		if err != nil {
			return err
		}
		defer unlock()
	}
	return l.target.SetCredential(ctx, login.Ref, c)
}

// Outcome returns the result of a login at a network, which is stored for some minutes.
// Its errors are [ErrUnknownLogin] and those of the [LoginStore].
func (l *Logins) Outcome(ctx context.Context, network, id string) (outcome credentials.LoginOutcome, err error) {
	kept, err := l.kept.Login(ctx, network, id)
	if err != nil {
		return outcome, err
	}
	if kept.Outcome != nil {
		err = json.Unmarshal(kept.Outcome, &outcome)
		return outcome, err
	}
	login, err := l.open(&kept)
	switch {
	case err != nil:
		return outcome, ErrUnknownLogin
	case kept.Late:
		return failedLogin(login.Ref, ErrTimeout), nil
	}
	return credentials.LoginOutcome{State: credentials.LoginPending, Ref: login.Ref}, nil
}
