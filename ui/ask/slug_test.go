package ask

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/desk"
)

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"": desk.BlankID, "…": desk.BlankID, "Greeting": "greeting", " Daily  report, v2 ": "daily-report-v2", "Größe/Höhe": "größe-höhe", "../..": desk.BlankID,
	} {
		require.Equal(t, want, slug(name), name)
		require.NoError(t, workflow.CheckID(slug(name)))
	}
}
