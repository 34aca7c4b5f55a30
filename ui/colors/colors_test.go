package colors_test

import (
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/theme"
)

func TestExact(t *testing.T) {
	p := theme.LightPalette()
	require.Equal(t, color.NRGBA{0x0A, 0x66, 0xC2, 0xFF}, colors.Exact("#0A66C2")(p))
	for _, bad := range []string{"", "#12", "blue", "0A66C2", "#0A66C2FF"} {
		require.Equal(t, p.Dim, colors.Exact(bad)(p), bad)
	}
}
