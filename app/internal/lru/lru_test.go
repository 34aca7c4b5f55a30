package lru

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCacheKeepsWithinItsLimits(t *testing.T) {
	c := New[string, int](3, 10)
	c.Add("a", 1, 4)
	c.Add("b", 2, 4)
	_, ok := c.Get("a")
	require.True(t, ok)
	c.Add("c", 3, 4)
	_, ok = c.Get("b")
	require.False(t, ok, "used least recently")
	require.Equal(t, 8, c.Bytes())
	c.Add("a", 5, 1)
	v, _ := c.Get("a")
	require.Equal(t, 5, v)
	require.Equal(t, 5, c.Bytes(), "the old size does not count any more")
	c.Add("large", 6, 11)
	require.Zero(t, c.Len(), "larger than the cache")
	require.Zero(t, c.Bytes())
}
