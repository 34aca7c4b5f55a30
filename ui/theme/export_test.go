package theme

import "io/fs"

// Icons returns the names of all drawings, in order.
func Icons() []string {
	files, _ := fs.Glob(icons, "icons/*.svg") // fails for a bad pattern only
	for i, file := range files {
		files[i] = file[len("icons/") : len(file)-len(".svg")]
	}
	return files
}
