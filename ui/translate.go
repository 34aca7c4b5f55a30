package ui

import (
	"embed"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"fyne.io/fyne/v2/lang"
)

// translations has a file for each language. English needs translations only for the plural
// forms: its texts are in the code.
//
//go:embed translations
var translations embed.FS

// translated is the folder of translations.
const translated = "translations"

// messages has translations of the errors of nodes; see package wording.
//
//go:embed messages
var messages embed.FS

// said is the folder of messages.
const said = "messages"

// translate loads the translations for the language of the system.
func translate() error {
	return errors.Join(lang.AddTranslationsFS(translations, translated), lang.AddTranslationsFS(messages, said))
}

// wordsOf returns a function that translates names and descriptions of node types to the
// language of the system. Texts without a translation stay English.
func wordsOf(types embed.FS) (say func(name string) string, err error) {
	language, _, _ := strings.Cut(lang.SystemLocale().LanguageString(), "-")
	var words map[string]string
	for _, folder := range []string{translated, path.Join(translated, "more")} {
		text, err := types.ReadFile(path.Join(folder, language+".json"))
		if err != nil {
			continue // has no translation
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
