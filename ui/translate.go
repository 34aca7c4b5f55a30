package ui

import (
	"embed"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"fyne.io/fyne/v2/lang"
)

// translations has a file for each language besides English. English is what the
// program says where it asks for a translation; its file has only the forms of texts
// that count something.
//
//go:embed translations
var translations embed.FS

// translated is the folder that translations are in.
const translated = "translations"

// messages has what nodes say when they fail, in the same way; see package wording.
//
//go:embed messages
var messages embed.FS

// said is the folder that messages are in.
const said = "messages"

// translate has the window speak the language of the system, if it knows it.
func translate() error {
	return errors.Join(lang.AddTranslationsFS(translations, translated), lang.AddTranslationsFS(messages, said))
}

// wordsOf returns what names of node types, and what is said of them, are in the language of
// the system. What nobody has translated stays as it is.
func wordsOf(types embed.FS) (say func(name string) string, err error) {
	language, _, _ := strings.Cut(lang.SystemLocale().LanguageString(), "-")
	var words map[string]string
	for _, folder := range []string{translated, path.Join(translated, "more")} {
		text, err := types.ReadFile(path.Join(folder, language+".json"))
		if err != nil {
			continue // nobody has translated it
		}
		if err := json.Unmarshal(text, &words); err != nil {
			return nil, err
		}
	}
	return func(name string) string {
		if word, ok := words[name]; ok {
			return word
		}
		return name
	}, nil
}
