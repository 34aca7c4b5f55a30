package cards

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShorten(t *testing.T) {
	require.Equal(t, "short", Shorten("short", RowText, 200))
	require.Equal(t, "a very l…", Shorten("a very long text", RowText, 9*RowText*0.58+1))
	require.Equal(t, "one…", Shorten("one\ntwo", RowText, 200))
	require.Equal(t, "日本…", Shorten("日本語日本語", RowText, 6.5*RowText*0.58))
}
