//go:build cgo || ci

package main

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestOnlyWithoutAGraphicsCardNotEachMoveIsDrawn(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	asked := func(name string) (string, bool) { return "true", name == "LIBGL_ALWAYS_SOFTWARE" }
	card := fstest.MapFS{"dri/renderD128": {}}
	require.Zero(t, pace(none, card))
	require.Equal(t, softwarePace, pace(asked, card))
	for _, driver := range []string{"nvidiactl", "dxg"} {
		require.Zero(t, pace(none, fstest.MapFS{driver: {}}))
	}
	if runtime.GOOS == "linux" {
		require.Equal(t, softwarePace, pace(none, fstest.MapFS{"dri/card0": {}}), "a screen alone draws nothing")
	}
}
