//go:build unix

package main

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
	"github.com/svcflow/svc/store/postgres"
	"github.com/svcflow/svc/store/postgres/postgrestest"
)

// TestCheckTellsWhoDoesNotFit checks which differences between the descriptions of processes are
// reported.
func TestCheckTellsWhoDoesNotFit(t *testing.T) {
	alike := func() member.About {
		return member.About{
			Version: "v1", Runs: 10, Key: "0a0b0c0d", Files: "one", Types: []string{"a.b", "c.d"},
			Flags:     map[string]string{"code": "true", "http-allow": "", "place": ""},
			Variables: map[string]string{"MICROBLOG_RATE_LIMIT": "450/15m0s"},
		}
	}
	server := postgrestest.Start(t)
	for _, c := range []struct {
		name   string
		change func(other *member.About)
		about  string // expected problem
		says   []string
	}{
		{"all fit", func(*member.About) {}, "", []string{"2, which fit together"}},
		{"a worker has no key", func(o *member.About) { o.Key = "" }, "", []string{"2, which fit together"}},
		{"versions", func(o *member.About) { o.Version = "v2" }, "versions", []string{"v1 at p0; v2 at p1"}},
		{"node types", func(o *member.About) { o.Types = o.Types[:1] }, "types", []string{"no c.d at p1"}},
		{"keys", func(o *member.About) { o.Key = "11111111" }, "keys", []string{"SVC_API_KEY", "0a0b0c0d at p0; 11111111 at p1"}},
		{"files", func(o *member.About) { o.Files = "other" }, "", []string{"2, which fit together", "beware", "--data", "one at p0; other at p1"}},
		{"flags", func(o *member.About) { o.Flags["http-allow"] = "10.0.0.0/8" }, "flags", []string{"--http-allow", "10.0.0.0/8 at p1; none at p0"}},
		{"windows", func(o *member.About) { o.Variables = map[string]string{} }, "variables", []string{"MICROBLOG_RATE_LIMIT", "450/15m0s at p0; none at p1"}},
		{"who knows no windows", func(o *member.About) { o.Variables = nil }, "", []string{"fit together"}},
		{"placement", func(o *member.About) { o.Flags["place"], o.Answers = "a.*=gpu", []string{"gpu"} }, "flags", []string{"--place", "a.*=gpu at p1; none at p0"}},
		{"who drives nothing places nothing", func(o *member.About) { o.Flags["place"], o.Runs = "a.*=gpu", 0 }, "", []string{"fit together"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			others := alike()
			c.change(&others)
			wrong, says := checkOf(t, server, alike(), others)
			require.Equal(t, c.about, wrong)
			for _, text := range c.says {
				require.Contains(t, says, text)
			}
		})
	}
	t.Run("a queue that nobody answers", func(t *testing.T) {
		places := alike()
		places.Flags["place"] = "a.*=gpu"
		wrong, says := checkOf(t, server, places, places)
		require.Equal(t, "queues", wrong)
		require.Contains(t, says, "nobody answers gpu, where a.* is placed; start a worker with --answer gpu")
		answers := alike()
		answers.Runs, answers.Answers = 0, []string{"gpu"}
		wrong, _ = checkOf(t, server, places, answers)
		require.Empty(t, wrong)
	})
	t.Run("what the cluster keeps", func(t *testing.T) {
		places, other := alike(), alike()
		places.Flags["place"], places.Answers = "a.*=gpu", []string{"gpu"}
		other.Runs = 0 // drives no runs, so its placement does not count
		database := migrated(t, server)
		living(t, database, places, other)
		for kept, want := range map[string]string{"{}": "", "{a.*=gpu}": "", "{a.*=cpu,c.d=gpu}": "placement"} {
			change(t, database, `update svc_cluster set place = '`+kept+`'`)
			wrong, says := checked1(t, database)
			require.Equal(t, want, wrong, kept)
			if want != "" {
				require.Contains(t, says, "p0 places a.*=gpu, and the cluster keeps a.*=cpu,c.d=gpu; start it anew")
			}
		}
	})
	t.Run("a clock", func(t *testing.T) {
		database := migrated(t, server)
		living(t, database, alike())
		change(t, database, `update svc_leases set ahead = interval '-3 seconds'`)
		wrong, says := checked1(t, database)
		require.Equal(t, "clocks", wrong)
		require.Contains(t, says, "the clock of p0 is 3s apart")
	})
}

// checkOf checks a cluster of processes with these descriptions, and returns the problem and its
// text.
func checkOf(t *testing.T, server *postgrestest.Server, abouts ...member.About) (wrong, says string) {
	t.Helper()
	database := migrated(t, server)
	living(t, database, abouts...)
	return checked1(t, database)
}

func migrated(t *testing.T, server *postgrestest.Server) (database string) {
	t.Helper()
	database = server.Database()
	_, err := postgres.Migrate(t.Context(), database)
	require.NoError(t, err)
	return database
}

// living registers live processes with these descriptions.
func living(t *testing.T, database string, abouts ...member.About) {
	t.Helper()
	kept, err := postgres.Open(t.Context(), database)
	require.NoError(t, err)
	defer kept.Close()
	for i, about := range abouts {
		runs, err := kept.Runs(t.Context(), postgres.RunOptions{Cluster: "svc"})
		require.NoError(t, err)
		text, err := json.Marshal(about)
		require.NoError(t, err)
		runs.Describe(string(text))
		require.NoError(t, runs.Renew(t.Context(), "p"+strconv.Itoa(i)))
	}
	change(t, database, `update svc_leases set until = until + interval '1 hour'`) // longer than the slowest machine needs
}

// checked1 returns the only problem found, apart from Temporal, which is not running.
func checked1(t *testing.T, database string) (wrong, says string) {
	t.Helper()
	got := call(t, nil, "check", "--postgres", database, "--temporal", nowhere, "--output", "json")
	var answer checked
	require.NoError(t, json.Unmarshal([]byte(got.out), &answer), got.errs)
	for _, f := range answer.Findings {
		switch {
		case f.About == "temporal":
		case f.Warns:
			require.True(t, f.OK, "as long as nobody keeps files")
			says += "beware: " + f.Says
		case f.About == "processes":
			says += f.Says
		case !f.OK:
			wrong += f.About
			says += f.Says
		}
	}
	return wrong, says
}
