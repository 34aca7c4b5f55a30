package ui

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
)

func TestAPictureIsExported(t *testing.T) {
	inWindow(t, func(t *testing.T, b *bench) {
		file := filepath.Join(b.dir, "w.json")
		_, err := documents.WriteFile(file, stored("w"))
		require.NoError(t, err)
		b.Open(file)
		b.settle()
		picture := filepath.Join(b.dir, "w.png")
		b.run("file.export")
		b.answer("Export")
		require.Contains(t, b.message(), picture, "it is proposed beside the workflow")
		first, err := os.ReadFile(picture)
		require.NoError(t, err)
		_, err = png.Decode(bytes.NewReader(first))
		require.NoError(t, err)
		require.False(t, b.doc().Edited())

		require.NoError(t, os.WriteFile(picture, []byte(precious), 0o600))
		b.run("file.export")
		b.answer("Export")
		b.answer("Cancel")
		text, err := os.ReadFile(picture)
		require.NoError(t, err)
		require.Equal(t, precious, string(text))
		b.run("file.export")
		b.answer("Export")
		b.answer("Replace")
		text, err = os.ReadFile(picture)
		require.NoError(t, err)
		require.Equal(t, first, text)

		b.run("file.export")
		b.typeOver(filepath.Join(b.dir, "w.gif"))
		b.answer("Export")
		require.Contains(t, b.message(), ".svg")
		require.NoFileExists(t, filepath.Join(b.dir, "w.gif"))
		b.run("file.export")
		b.typeOver(filepath.Join(b.dir, "none", "w.svg"))
		b.answer("Export")
		require.Contains(t, b.message(), "none")

		b.run("file.new")
		b.run("file.export")
		b.typeOver(filepath.Join(b.dir, "empty.svg"))
		b.answer("Export")
		require.Contains(t, b.message(), "nothing to draw")
	})
}
