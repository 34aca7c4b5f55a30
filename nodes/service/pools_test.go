package service_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// thing is an [io.Closer] for tests.
type thing struct{ closed bool }

// Close implements [io.Closer].
func (t *thing) Close() error {
	t.closed = true
	return nil
}

func TestPools(t *testing.T) {
	var p service.Pools[*thing]
	opened := 0
	open := func() (*thing, error) { opened++; return &thing{}, nil }
	one, err := p.Get("sqlite:main", "a", open)
	require.NoError(t, err)
	again, err := p.Get("sqlite:main", "a", open)
	require.NoError(t, err)
	require.Same(t, one, again, "all share it")
	other, err := p.Get("sqlite:other", "a", open)
	require.NoError(t, err)
	require.NotSame(t, one, other)

	changed, err := p.Get("sqlite:main", "b", open)
	require.NoError(t, err)
	require.NotSame(t, one, changed)
	require.True(t, one.closed, "nobody needs it any more")
	require.Equal(t, 3, opened)
	refused := errors.New("refused")
	_, err = p.Get("sqlite:third", "a", func() (*thing, error) { return nil, refused })
	require.ErrorIs(t, err, refused)

	require.NoError(t, p.Close())
	require.True(t, changed.closed)
	require.True(t, other.closed)
	_, err = p.Get("sqlite:main", "b", open)
	require.Equal(t, node.CodeInterrupted, node.CodeOf(err))
	require.Equal(t, 3, opened)
}
