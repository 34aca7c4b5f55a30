package sqlnode

import (
	"context"

	"github.com/svcflow/svc/credentials"
)

// TestCredential implements [credentials.Tester]: it connects to the database.
func (p *Plugin) TestCredential(ctx context.Context, ref credentials.Ref) error {
	if _, known := dialects()[ref.Network()]; !known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return p.pools.with(ctx, ref, func(s *session) error {
		var one int
		return s.QueryRowContext(ctx, "SELECT count(*) FROM "+map[bool]string{true: "sqlite_master", false: "(SELECT 1) AS t"}[s.network == "sqlite"]).Scan(&one) // SQLite reads its file only then
	})
}
