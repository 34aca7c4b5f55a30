package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Placement returns the rules, in order, that the cluster keeps of which nodes are called elsewhere
// than where their run is driven; none if it keeps none.
func (s *Runs) Placement(ctx context.Context) (rules []string, err error) {
	err = s.db.One(ctx, `select place from svc_cluster`).Scan(&rules)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil // nobody has named a cluster
	}
	return rules, pg.Failed("read the placement", err)
}

// Place has the cluster keep these rules, instead of those before. They are not looked at. The Runs
// have to be those of a cluster.
func (s *Runs) Place(ctx context.Context, rules ...string) error {
	rules = append([]string{}, rules...) // none is no null
	slices.Sort(rules)
	_, err := s.db.Exec(ctx, `update svc_cluster set place = $1`, rules)
	return pg.Failed("keep the placement", err)
}
