package ask

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/workspace"
)

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{
		"": workspace.BlankID, "…": workspace.BlankID, "Greeting": "greeting", " Daily  report, v2 ": "daily-report-v2", "Größe/Höhe": "größe-höhe", "../..": workspace.BlankID,
	} {
		require.Equal(t, want, slug(name), name)
		require.NoError(t, workflow.CheckID(slug(name)))
	}
}
