package clusterdb

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Logins is an [oauth.LoginStore] for any number of processes, by the clock of the database. Make
// one with [NewLogins]. It is safe for concurrent use. While the database is unavailable, errors
// wrap store.ErrUnavailable.
type Logins struct{ db pg.DB }

var _ oauth.LoginStore = (*Logins)(nil)

// NewLogins returns the logins in progress in a database.
func NewLogins(db pg.DB) *Logins { return &Logins{db} }

// BeginLogin implements [oauth.LoginStore]. Concurrent calls may exceed the limit slightly.
func (s *Logins) BeginLogin(ctx context.Context, l oauth.KeptLogin, state [sha256.Size]byte) error {
	tag, err := s.db.Exec(ctx, `insert into svc_logins (id, network, state, sealed, until)
		select $1, $2, $3, $4, clock_timestamp() + $5 * interval '1 microsecond'
		where (select count(*) from svc_logins where state is not null and until > clock_timestamp()) < $6`,
		l.ID, l.Network, state[:], l.Sealed, oauth.LoginLife.Microseconds(), oauth.MaxLogins)
	if err == nil && tag.RowsAffected() == 0 {
		err = pg.Refused(oauth.ErrTooManyLogins)
	}
	return pg.Failed("begin a login", err)
}

// TakeLogin implements [oauth.LoginStore].
func (s *Logins) TakeLogin(ctx context.Context, network string, state [sha256.Size]byte) (l oauth.KeptLogin, err error) {
	l.Network = network
	err = s.db.One(ctx, `update svc_logins set state = null, until = clock_timestamp() + $3 * interval '1 microsecond'
		where state = $2 and network = $1 and until > clock_timestamp() returning id, sealed`,
		network, state[:], oauth.OutcomeLife.Microseconds()).Scan(&l.ID, &l.Sealed)
	return l, pg.Failed("take a login", noLogin(err))
}

// EndLogin implements [oauth.LoginStore].
func (s *Logins) EndLogin(ctx context.Context, id string, outcome []byte) error {
	_, err := s.db.Exec(ctx, `update svc_logins set outcome = $2, sealed = '', until = clock_timestamp() + $3 * interval '1 microsecond' where id = $1`,
		id, string(outcome), oauth.OutcomeLife.Microseconds())
	return pg.Failed("end a login", err)
}

// Login implements [oauth.LoginStore].
func (s *Logins) Login(ctx context.Context, network, id string) (l oauth.KeptLogin, err error) {
	l.ID, l.Network = id, network
	var outcome *string
	err = s.db.One(ctx, `select sealed, outcome, state is not null and until <= clock_timestamp() from svc_logins where id = $1 and network = $2
		and until + case when state is null then interval '0' else $3 * interval '1 microsecond' end > clock_timestamp()`,
		id, network, oauth.OutcomeLife.Microseconds()).Scan(&l.Sealed, &outcome, &l.Late)
	if outcome != nil {
		l.Outcome = []byte(*outcome)
	}
	return l, pg.Failed("look for a login", noLogin(err))
}

func noLogin(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return pg.Refused(oauth.ErrUnknownLogin)
	}
	return err
}
