package sim_test

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/nodetest/suites"
	"github.com/svcflow/svc/nodes/sim"
)

// TestConformanceOfAnswers holds the simulator's answers to calls of
// the live profile against the network's own description of its API.
// Refusals are left out: the network itself answers with a
// type of problem, about:blank, that its description does not have.
func TestConformanceOfAnswers(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile(suites.Path(t, "x-openapi.json"))
	require.NoError(t, err)
	doc.Servers = nil                                                               // the simulator is elsewhere
	router, err := legacy.NewRouter(doc, openapi3.DisableSchemaPatternValidation()) // some are Perl's
	require.NoError(t, err)
	for _, g := range goodCalls("microblog") {
		if strings.HasPrefix(g.id, "spec.") || strings.Contains(g.target, "tweet.fields") {
			continue // of which the description knows nothing
		}
		t.Run(g.id, func(t *testing.T) {
			b := newBench(t, "microblog", sim.Config{Profile: sim.Live})
			b.router = router
			_, _, err := router.FindRoute(b.request(g.method, g.target, g.body))
			require.NoError(t, err)
			require.Equal(t, g.status, b.call(g.method, g.target, g.body).status)
		})
	}
}
