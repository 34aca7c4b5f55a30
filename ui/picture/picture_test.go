package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/golden"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/picture"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write what is drawn over what is expected")

// thanks has a circle, a group, a note, a node that is off, and a name that XML would not
// like.
const thanks = `{"id":"thanks","nodes":[` +
	`{"id":"term","type":"io.input","config":{"name":"term","required":true,"type":"string"},"label":"<Who> & \"why\"","position":{"x":-40,"y":64}},` +
	`{"id":"posts","type":"microblog.search_tweets","position":{"x":264,"y":72}},` +
	`{"id":"filter","type":"listops.filter","config":{"expression":"item.text != \"\""},"position":{"x":440,"y":48}},` +
	`{"id":"off","type":"text.join","disabled":true,"position":{"x":0,"y":240}}],` +
	`"connections":[{"fromNodeId":"term","fromPort":"value","toNodeId":"posts","toPort":"query"},` +
	`{"fromNodeId":"posts","fromPort":"tweets","toNodeId":"filter","toPort":"list"}],` +
	`"groups":[{"id":"g","label":"Who wrote","nodeIds":["posts","filter"]}],` +
	`"notes":[{"id":"n","text":"Only those who wrote something","position":{"x":264,"y":240},"size":{"w":176,"h":64}}]}`

func open(t *testing.T, text string) *board.Board {
	t.Helper()
	uitest.App(t, theme.Light)
	// The view and the selection of the window do not matter.
	b := board.New(doc.New(uitest.Definition(t, text), uitest.Specs(uitest.Registry(t))), 200, 100)
	b.View.Zoom = 0.2
	b.SelectAll()
	return b
}

func written(t *testing.T, file string, b *board.Board) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, picture.Write(&out, file, b))
	return out.Bytes()
}

func TestPNG(t *testing.T) {
	m, err := png.Decode(bytes.NewReader(written(t, "thanks.PNG", open(t, thanks))))
	require.NoError(t, err)
	uitest.Golden(t, "thanks", m, *update)
}

func TestSVG(t *testing.T) {
	text := written(t, "thanks.svg", open(t, thanks))
	for parts := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := parts.Token(); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
	}
	golden.Equal(t, filepath.Join("testdata", "thanks.svg"), text, *update)
}

func TestPDF(t *testing.T) {
	text := written(t, "thanks.pdf", open(t, thanks))
	require.Equal(t, "%PDF-", string(text[:5]))
	require.Len(t, regexp.MustCompile(`/Type /Page\b`).FindAll(text, -1), 1)
	require.Len(t, regexp.MustCompile(`/FontFile2`).FindAll(text, -1), 3, "its letters are in it")
}

// However large a document is, its picture has a size that programs can open.
func TestLargest(t *testing.T) {
	b := open(t, `{"id":"far","nodes":[{"id":"a","type":"text.join","position":{"x":0,"y":0}},{"id":"b","type":"text.join","position":{"x":90000,"y":300}}],"connections":[]}`)
	m, err := png.DecodeConfig(bytes.NewReader(written(t, "far.png", b)))
	require.NoError(t, err)
	require.LessOrEqual(t, m.Width, 8192)
	require.Greater(t, m.Width, 8100)
	size := regexp.MustCompile(`/MediaBox \[0 0 (\S+) `).FindSubmatch(written(t, "far.pdf", b))
	require.Equal(t, "14400.00", string(size[1]))
}

func TestNoPicture(t *testing.T) {
	b := open(t, `{"id":"empty","nodes":[],"connections":[]}`)
	require.ErrorIs(t, picture.Write(io.Discard, "a.png", b), picture.ErrEmpty)
	require.ErrorIs(t, picture.Write(io.Discard, "a.gif", b), picture.ErrFormat)
	require.ErrorIs(t, picture.Check("png"), picture.ErrFormat)
	require.NoError(t, picture.Check("a.b.Svg"))
}

// A value that hangs below a card is in the picture, whole.
func TestValuesBelowCards(t *testing.T) {
	b := open(t, `{"id":"v","nodes":[{"id":"see","type":"preview.view","position":{"x":0,"y":0}}],"connections":[]}`)
	height := func() int {
		m, err := png.DecodeConfig(bytes.NewReader(written(t, "v.png", b)))
		require.NoError(t, err)
		return m.Height
	}
	alone := height()
	remark := true
	b.Pane = func(string) *scene.Pane { return &scene.Pane{View: view.View{Text: "Read me"}, Remark: remark} }
	require.Equal(t, alone, height(), "the remark for a missing value is not drawn")
	remark = false
	card, _ := b.Document().Card("see")
	require.InDelta(t, alone+int(2*card.Below().H()), height(), 16)
}
