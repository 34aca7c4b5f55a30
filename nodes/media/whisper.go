package media

import (
	"context"
	"os"
	"strings"
)

// Whisper has ffmpeg's filter of that name write down what is said, by a model in a file.
func (t *Tools) Whisper(ctx context.Context, r *Recipe, model, language string) ([]Caption, error) {
	if err := t.configured(); err != nil {
		return nil, err
	}
	if strings.ContainsAny(model, `:,;[]'\=`) {
		return nil, coded(codeNotConfigured, "the model has a name that ffmpeg cannot be told")
	}
	if !isWord(language) {
		return nil, refused("the language cannot be %q", brief(language))
	}
	heard, err := heardOf(r)
	if err != nil {
		return nil, err
	}
	c, err := Plan(&heard, Lossless(heard.Facts))
	if err != nil {
		return nil, err
	}
	c.Picture = c.Sound
	c.behind("aresample=16000,aformat=channel_layouts=mono,whisper=model=" + model + ":language=" + language + ":queue=20:destination=heard.srt:format=srt[heard]")
	var said []byte
	err = t.produce(ctx, c, &heard, []string{"-map", "[heard]", "-f", "null", "-"}, func(d *desk) error {
		said, err = os.ReadFile(d.path("heard.srt"))
		if os.IsNotExist(err) { // nothing is said
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return ReadSubtitles(string(said))
}
