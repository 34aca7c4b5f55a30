package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Placement returns the placement rules of the cluster, in order: which nodes are called on queues
// instead of by the driver of their run.
func (s *Runs) Placement(ctx context.Context) (rules []string, err error) {
	err = s.db.One(ctx, `select place from svc_cluster`).Scan(&rules)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil // no cluster is set
	}
	return rules, pg.Failed("read the placement", err)
}

// Place replaces the placement rules of the cluster. It does not check them. The Runs must have a
// cluster.
func (s *Runs) Place(ctx context.Context, rules ...string) error {
	rules = append([]string{}, rules...) // an empty array, not null
	slices.Sort(rules)
	_, err := s.db.Exec(ctx, `update svc_cluster set place = $1`, rules)
	return pg.Failed("keep the placement", err)
}
