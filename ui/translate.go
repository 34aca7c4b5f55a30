package ui

import (
	"embed"

	"fyne.io/fyne/v2/lang"
)

// translations has a file for each language besides English. English is what the
// program says where it asks for a translation; its file has only the forms of texts
// that count something.
//
//go:embed translations
var translations embed.FS

// translate has the window speak the language of the system, if it knows it.
func translate() error { return lang.AddTranslationsFS(translations, "translations") }
