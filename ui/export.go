package ui

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/store/durable"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/picture"
)

// Export makes a file of the level that is shown: a picture of all of it.
func (f *files) Export() {
	b := f.board()
	if b == nil {
		return
	}
	name := documents.FileName(b.Document().Definition().ID)
	name = strings.TrimSuffix(name, filepath.Ext(name)) + ".png"
	f.dialogs.AskPicture(filepath.Join(f.folder(), name), func(file string) { f.exportTo(file, b) })
}

// exportTo asks before it replaces a file.
func (f *files) exportTo(file string, b *board.Board) {
	_, err := os.Lstat(file)
	if err != nil || picture.Check(file) != nil {
		f.draw(file, b) // which says what is wrong with the folder or the name
		return
	}
	f.dialogs.Choose(lang.L("Replace the file?"), lang.L("{{.File}} is there already.", map[string]any{"File": file}),
		ask.Choice{Text: lang.L("Replace"), Do: func() { f.draw(file, b) }})
}

func (f *files) draw(file string, b *board.Board) {
	var text bytes.Buffer
	err := picture.Write(&text, file, b)
	if err == nil {
		err = durable.Rewrite(file, text.Bytes())
	}
	if err != nil {
		f.views.Complain(fmt.Errorf("export %s: %w", file, err))
		return
	}
	f.views.Tell(lang.L("Exported to {{.File}}", map[string]any{"File": file}), false)
}
