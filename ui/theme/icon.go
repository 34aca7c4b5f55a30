package theme

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
)

//go:embed icons/*.svg
var icons embed.FS

// Icon returns the icon with a name in one colour; a plain one for an unknown name. The name
// may be an SVG document itself, with white shapes, as the icons of plugins are. The caller
// applies the opacity.
func Icon(name string, c color.NRGBA) fyne.Resource {
	tint := hexOf(c)
	data := []byte(name)
	if strings.HasPrefix(name, "<svg") {
		sum := sha256.Sum256(data)
		name = "own-" + hex.EncodeToString(sum[:8]) // the toolkit caches pictures by name
	} else {
		name, data = drawing(name)
	}
	data = bytes.ReplaceAll(data, []byte("#ffffff"), []byte("#"+tint)) // all drawings are white
	return fyne.NewStaticResource(name+"-"+tint+".svg", data)
}

func drawing(name string) (known string, data []byte) {
	data, err := icons.ReadFile("icons/" + name + ".svg")
	if err != nil {
		name = "node"
		data, _ = icons.ReadFile("icons/node.svg") // it is embedded
	}
	return name, data
}
