package nodes

import "embed"

//go:embed translations
var translations embed.FS

// Translations has a folder translations with a file for each language except English, such as
// de.json. A file maps English texts of the built-in node types to their translation: labels,
// categories, and the first sentences of descriptions of nodes and ports. The files in the
// folder translations/more do so for the other paragraphs of descriptions. Graphical programs
// use it; command line and API are in English.
func Translations() embed.FS { return translations }
