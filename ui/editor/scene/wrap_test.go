package scene

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
)

func TestWrap(t *testing.T) {
	line, rest := wrap("several words in a row", 14.5*cards.RowText*0.58)
	require.Equal(t, [2]string{"several words", "in a row"}, [2]string{line, rest})
	line, rest = wrap("unbreakable", 5.5*cards.RowText*0.58)
	require.Equal(t, [2]string{"unbre", "akable"}, [2]string{line, rest})
	line, rest = wrap("two words", 8.5*cards.RowText*0.58)
	require.Equal(t, [2]string{"two", "words"}, [2]string{line, rest}, "by its last letter too long")
	line, rest = wrap("日", 1)
	require.Equal(t, [2]string{"日", ""}, [2]string{line, rest}, "always goes on")
}
