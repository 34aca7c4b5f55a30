package pdf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/reading"
)

// The goldens are what pdftotext gives. It marks the direction of Hebrew, which we do not.
func TestTextIsThatOfPdftotext(t *testing.T) {
	files, err := filepath.Glob("testdata/*.pdf")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	marks := strings.NewReplacer("\u202a", "", "\u202b", "", "\u202c", "")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			golden, err := os.ReadFile(strings.TrimSuffix(file, ".pdf") + ".txt")
			require.NoError(t, err)
			notes := &reading.Notes{}
			text, err := textOf(data, []Range{{First: 1}}, notes)
			require.NoError(t, err)
			want := strings.Split(strings.TrimSuffix(marks.Replace(string(golden)), "\f"), "\f")
			for i, page := range text.Pages {
				require.Equal(t, strings.TrimSpace(want[i]), page)
			}
			require.Len(t, text.Pages, len(want))
			require.Empty(t, notes.All())
		})
	}
}

func FuzzText(f *testing.F) {
	files, err := filepath.Glob("testdata/*.pdf")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		notes := &reading.Notes{}
		_, _ = textOf(data, []Range{{First: 1}}, notes)
		for _, n := range notes.All() {
			require.NotContains(t, n.Message, "runtime error")
		}
	})
}

func BenchmarkText(b *testing.B) {
	for _, name := range []string{"columns", "japanese-rksj"} {
		b.Run(name, func(b *testing.B) {
			data, err := os.ReadFile("testdata/" + name + ".pdf")
			require.NoError(b, err)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				_, err := textOf(data, []Range{{First: 1}}, nil)
				require.NoError(b, err)
			}
		})
	}
}
