package editor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShorten(t *testing.T) {
	require.Equal(t, "short", shorten("short", rowText, 200))
	require.Equal(t, "a very l…", shorten("a very long text", rowText, 9*rowText*0.58+1))
	require.Equal(t, "one…", shorten("one\ntwo", rowText, 200))
	require.Equal(t, "日本…", shorten("日本語日本語", rowText, 6.5*rowText*0.58))
}
