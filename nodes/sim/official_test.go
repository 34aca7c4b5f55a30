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

// TestConformanceOfAnswers validates the simulator's responses to calls of the live profile
// against the network's own description of its API. Error responses are left out: the real
// network uses the problem type about:blank, which its description does not have.
func TestConformanceOfAnswers(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile(suites.Path(t, "x-openapi.json"))
	require.NoError(t, err)
	doc.Servers = nil                                                               // the simulator has another address
	router, err := legacy.NewRouter(doc, openapi3.DisableSchemaPatternValidation()) // some patterns are in Perl's syntax
	require.NoError(t, err)
	for _, g := range goodCalls("microblog") {
		if strings.HasPrefix(g.id, "spec.") || strings.Contains(g.target, "tweet.fields") {
			continue // the description does not have it
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
