package uitest

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Golden compares a picture with the one of that name in testdata, or with update writes it.
// The flag -artifacts stores a picture that differs.
func Golden(t testing.TB, name string, got image.Image, update bool) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if update {
		WritePNG(t, path, got)
		return
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	want, err := png.Decode(file)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.Equal(t, want.Bounds(), got.Bounds())
	if n := Differing(want, got); n > 0 {
		WritePNG(t, filepath.Join(t.ArtifactDir(), name+".png"), got)
		require.Fail(t, "the picture has changed", "%d pixels differ from %s; -artifacts keeps the new one, -update takes it over", n, path)
	}
}

// Differing counts the pixels of two pictures of one size that differ visibly: processors
// round differently.
func Differing(a, b image.Image) (n int) {
	const slack = 3 << 8
	far := func(x, y uint32) bool { return max(x, y)-min(x, y) > slack }
	for y := a.Bounds().Min.Y; y < a.Bounds().Max.Y; y++ {
		for x := a.Bounds().Min.X; x < a.Bounds().Max.X; x++ {
			r, g, c, _ := a.At(x, y).RGBA()
			s, h, d, _ := b.At(x, y).RGBA()
			if far(r, s) || far(g, h) || far(c, d) {
				n++
			}
		}
	}
	return n
}

// WritePNG writes a picture, and creates its folder.
func WritePNG(t testing.TB, path string, m image.Image) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(file, m))
	require.NoError(t, file.Close())
}
