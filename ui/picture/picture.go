package picture

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/theme"
)

var (
	// ErrEmpty reports that a level is empty.
	ErrEmpty = errors.New("there is nothing to draw: add a node first")
	// ErrFormat reports that the name of a file has no known extension.
	ErrFormat = errors.New("the file's name has to end in .png, .svg or .pdf")
)

// The longest side of a picture, in its units: pixels of a PNG, which take four bytes each,
// and points of the others, where PDF allows 14,400 (ISO 32000, annex C).
const (
	mostPixels = 8192
	mostPoints = 14_400
)

// format is a file format.
type format struct {
	most  float64 // units of its longest side
	scale float64 // units per dp, if the maximum allows it
	write func(io.Writer, *sheet) error
}

// formatOf returns the format for the extension of a file.
func formatOf(file string) (format, error) {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".png":
		return format{mostPixels, 2, writePNG}, nil
	case ".svg":
		return format{mostPoints, 1, writeSVG}, nil
	case ".pdf":
		return format{mostPoints, 1, writePDF}, nil
	}
	return format{}, ErrFormat
}

// Check returns [ErrFormat] if the name of a file has no known extension.
func Check(file string) error {
	_, err := formatOf(file)
	return err
}

// Write writes the whole level that a board shows, with the run on it, in the format of the
// file's name and the colours of the present theme. Call it on Fyne's goroutine. Its error is
// [ErrEmpty], [ErrFormat], or one of w.
func Write(w io.Writer, file string, b *board.Board) error {
	f, err := formatOf(file)
	if err != nil {
		return err
	}
	whole := b.FullView(f.most / f.scale)
	if whole == nil {
		return ErrEmpty
	}
	palette := theme.Current()
	return f.write(w, &sheet{board: whole, palette: &palette, scale: f.scale})
}

// sheet is the drawing.
type sheet struct {
	board   *board.Board
	palette *theme.Palette
	scale   float64
}

func (s *sheet) items() []scene.Item { return s.board.Draw() }

// size returns the width and height of the sheet, in dp.
func (s *sheet) size() (width, height float64) { return s.board.View.Size.X, s.board.View.Size.Y }
