package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/editor/doc"
)

// TestSketchesOfTemplatesAreApart proves that no two cards touch on the pictures that the
// start page draws of templates, whose cards are as wide as the names in each language.
func TestSketchesOfTemplatesAreApart(t *testing.T) {
	templates, err := app.Templates()
	require.NoError(t, err)
	german := wordsOf(t, "translations/de.json")
	types := registry(t)
	english := doc.NewSpecs(types.Specs(), cards.BoundPorts(types))
	for language, specs := range map[string]*doc.Specs{
		"en": english,
		"de": english.InLanguage(func(text string) string { return german[text] }),
	} {
		t.Run(language, func(t *testing.T) {
			for _, template := range templates {
				lying := doc.New(template.Definition, specs).Cards()
				for i := range lying {
					for k := range i {
						require.False(t, lying[i].Rect.Grow(gapOfSketch).Overlaps(lying[k].Rect), "%s: %s and %s", template.Name, lying[i].Title(), lying[k].Title())
					}
				}
			}
		})
	}
}

// gapOfSketch is what has to be between two cards, so that the small picture shows two.
const gapOfSketch = 8
