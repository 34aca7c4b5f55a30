package postgres

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/credentials/oauth"
)

// Logins is an [oauth.LoginStore] of any number of processes, by the clock of the database. Make
// one with [Store.Logins]. It is safe for concurrent use. While the database is away, errors wrap
// store.ErrUnavailable.
type Logins struct{ database }

var _ oauth.LoginStore = (*Logins)(nil)

// Logins returns the logins under way in the database, over the connections of s, which has to be
// closed after them.
func (s *Store) Logins() *Logins { return &Logins{database{s.pool, patience}} }

// BeginLogin implements [oauth.LoginStore]. Of what many begin at once a few may be too many.
func (s *Logins) BeginLogin(ctx context.Context, l oauth.KeptLogin, state [sha256.Size]byte) error {
	tag, err := s.exec(ctx, `insert into svc_logins (id, network, state, sealed, until)
		select $1, $2, $3, $4, clock_timestamp() + $5 * interval '1 microsecond'
		where (select count(*) from svc_logins where state is not null and until > clock_timestamp()) < $6`,
		l.ID, l.Network, state[:], l.Sealed, oauth.LoginLife.Microseconds(), oauth.MaxLogins)
	if err == nil && tag.RowsAffected() == 0 {
		err = refused(oauth.ErrTooManyLogins)
	}
	return failed("begin a login", err)
}

// TakeLogin implements [oauth.LoginStore].
func (s *Logins) TakeLogin(ctx context.Context, network string, state [sha256.Size]byte) (l oauth.KeptLogin, err error) {
	l.Network = network
	err = s.one(ctx, `update svc_logins set state = null, until = clock_timestamp() + $3 * interval '1 microsecond'
		where state = $2 and network = $1 and until > clock_timestamp() returning id, sealed`,
		network, state[:], oauth.OutcomeLife.Microseconds()).Scan(&l.ID, &l.Sealed)
	return l, failed("take a login", noLogin(err))
}

// EndLogin implements [oauth.LoginStore].
func (s *Logins) EndLogin(ctx context.Context, id string, outcome []byte) error {
	_, err := s.exec(ctx, `update svc_logins set outcome = $2, sealed = '', until = clock_timestamp() + $3 * interval '1 microsecond' where id = $1`,
		id, string(outcome), oauth.OutcomeLife.Microseconds())
	return failed("end a login", err)
}

// Login implements [oauth.LoginStore].
func (s *Logins) Login(ctx context.Context, network, id string) (l oauth.KeptLogin, err error) {
	l.ID, l.Network = id, network
	var outcome *string
	err = s.one(ctx, `select sealed, outcome, state is not null and until <= clock_timestamp() from svc_logins where id = $1 and network = $2
		and until + case when state is null then interval '0' else $3 * interval '1 microsecond' end > clock_timestamp()`,
		id, network, oauth.OutcomeLife.Microseconds()).Scan(&l.Sealed, &outcome, &l.Late)
	if outcome != nil {
		l.Outcome = []byte(*outcome)
	}
	return l, failed("look for a login", noLogin(err))
}

func noLogin(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return refused(oauth.ErrUnknownLogin)
	}
	return err
}

// forgetLogins deletes those that nobody is told of any more.
func (s *Runs) forgetLogins(ctx context.Context) error {
	_, err := s.exec(ctx, `delete from svc_logins where until + $1 * interval '1 microsecond' <= clock_timestamp()`, oauth.OutcomeLife.Microseconds())
	return err
}
