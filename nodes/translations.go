package nodes

import "embed"

//go:embed translations
var translations embed.FS

// Translations has a folder, translations, with a file for each language besides English, such
// as de.json: what the labels and categories of the built-in node types are called in it, and what
// the first sentences of their descriptions and those of their ports say, by what they are in
// English. The files in its folder more do so for the other paragraphs of descriptions, and for
// the word before an example. Graphical programs have use for it; nothing else is translated.
func Translations() embed.FS { return translations }
