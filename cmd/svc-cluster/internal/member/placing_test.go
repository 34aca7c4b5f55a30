//go:build unix

package member

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestProcessesAgreeOnPlacement checks that a process uses the placement stored for the cluster,
// and refuses to start with a different one.
func TestProcessesAgreeOnPlacement(t *testing.T) {
	database := postgrestest.Start(t).Database()
	_, err := postgres.Migrate(t.Context(), database)
	require.NoError(t, err)
	r := &reached{}
	defer r.close()
	require.NoError(t, r.open(t.Context(), &Servers{Postgres: database, Cluster: "svc"}, -1))
	for _, c := range []struct {
		name      string
		kept, own []string
		drives    int
		has       string // expected placement; "" if the process places nothing
		refused   bool
	}{
		{"nothing is kept", nil, []string{"a.b=gpu"}, 1, "a.b=gpu", false},
		{"it is kept", []string{"c.d=gpu", "a.b=gpu"}, nil, 1, "a.b=gpu,c.d=gpu", false},
		{"both say so", []string{"a.b=gpu", "c.d=gpu"}, []string{"c.d=gpu", "a.b=gpu"}, 1, "a.b=gpu,c.d=gpu", false},
		{"others are kept", []string{"a.b=gpu"}, []string{"a.b=cpu"}, 1, "", true},
		{"who drives nothing", []string{"a.b=gpu"}, []string{"a.b=cpu"}, 0, "a.b=cpu", false},
		{"damaged", []string{"a.b"}, nil, 1, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.NoError(t, r.runs.Place(t.Context(), c.kept...))
			place := Placing{Place: c.own}
			require.NoError(t, place.read())
			m := &mates{placing: place, drives: c.drives, about: About{Flags: map[string]string{placeFlag: sorted(c.own)}}}
			err := m.agree(t.Context(), r)
			if c.refused {
				require.ErrorContains(t, err, "svc-cluster place")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.has, m.about.Flags[placeFlag])
			require.NoError(t, m.placing.placement.Check([]string{"a.b", "c.d"}))
			require.Equal(t, c.has != "", m.placing.placement.Check(nil) != nil, "it has rules")
		})
	}
}
