package media_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/media"
)

func TestWhatIsKeptBetweenSilences(t *testing.T) {
	for name, c := range map[string]struct{ silences, want []media.Span }{
		"none":              {nil, []media.Span{{Start: 0, End: 10}}},
		"one in the middle": {[]media.Span{{Start: 4, End: 6}}, []media.Span{{Start: 0, End: 4.25}, {Start: 5.75, End: 10}}},
		"at both ends":      {[]media.Span{{Start: 0, End: 2}, {Start: 8, End: 10}}, []media.Span{{Start: 1.75, End: 8.25}}},
		"short":             {[]media.Span{{Start: 4, End: 4.5}}, []media.Span{{Start: 0, End: 10}}},
		"nothing else":      {[]media.Span{{Start: 0, End: 10}}, nil},
	} {
		require.Equal(t, c.want, media.Between(c.silences, 10, 0.25), name)
	}
}
