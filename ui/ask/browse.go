package ask

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/wording"
)

// browser finds a file by typing or by moving through folders, like the other pickers of the
// window. Fyne's own dialog does not work by keyboard.
type browser struct {
	on *Dialogs
	// ending is the extension of the files, such as ".json"; empty for all. folder means to
	// choose a folder instead.
	ending string
	folder bool
	then   func(path string)
}

// in lists a folder.
func (b browser) in(dir string) {
	p := kit.Picker{
		Placeholder: lang.L("A name in {{.Folder}}, or a path", map[string]any{"Folder": dir}),
		Empty:       lang.L("Nothing here is called like that"),
		Closed:      b.on.config.Back,
		Search:      func(query string) []kit.Choice { return b.search(dir, query) },
	}
	p.Show(b.on.config.Window.Canvas())
}

// search returns the entries of dir that match a name, or a path.
func (b browser) search(dir, query string) []kit.Choice {
	name := query
	if path := expand(query); filepath.IsAbs(path) {
		dir, name = filepath.Split(path)
		if path != "/" && strings.HasSuffix(query, "/") {
			dir, name = path, ""
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []kit.Choice{{Title: wording.Of(err.Error()), Disabled: true}}
	}
	slices.SortStableFunc(entries, func(x, y os.DirEntry) int {
		return strings.Compare(sortKey(dir, x), sortKey(dir, y))
	})
	var found []kit.Choice
	for _, e := range entries {
		if hidden := strings.HasPrefix(e.Name(), "."); hidden && !strings.HasPrefix(name, ".") {
			continue
		}
		if choice, ok := b.choice(dir, e); ok {
			found = append(found, choice)
		}
	}
	return append(kit.Matching(found, name), b.around(dir, name)...)
}

// sortKey sorts folders before files, and both by name.
func sortKey(dir string, e os.DirEntry) string {
	if isFolder(dir, e) {
		return "0" + strings.ToLower(e.Name())
	}
	return "1" + strings.ToLower(e.Name())
}

// isFolder reports whether an entry is a folder, following links.
func isFolder(dir string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

func (b browser) choice(dir string, e os.DirEntry) (kit.Choice, bool) {
	path := filepath.Join(dir, e.Name())
	switch {
	case isFolder(dir, e):
		return kit.Choice{Title: e.Name(), Detail: lang.L("folder"), Icon: fynetheme.FolderIcon(), Pick: func() { b.in(path) }}, true
	case b.folder || !strings.HasSuffix(strings.ToLower(e.Name()), b.ending):
		return kit.Choice{}, false
	}
	return kit.Choice{Title: e.Name(), Icon: fynetheme.FileIcon(), Pick: func() { b.then(path) }}, true
}

// around returns the parents of a folder, and the folder itself where one is to be chosen.
func (b browser) around(dir, name string) []kit.Choice {
	if name != "" {
		return nil
	}
	var ways []kit.Choice
	if b.folder {
		ways = append(ways, kit.Choice{Title: lang.L("Use this folder"), Detail: dir, Icon: fynetheme.ConfirmIcon(), Pick: func() { b.then(dir) }})
	}
	dir = filepath.Clean(dir)
	if up := filepath.Dir(dir); up != dir {
		ways = append(ways, kit.Choice{Title: "..", Detail: up, Icon: fynetheme.FolderOpenIcon(), Pick: func() { b.in(up) }})
	}
	return ways
}

// expand replaces "~" by the user's home folder.
func expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !strings.HasPrefix(rest, "/") {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return home + rest
}
