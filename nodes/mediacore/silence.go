package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type span struct {
	StartMs float64 `port:"start_ms" doc:"When it begins."`
	EndMs   float64 `port:"end_ms" doc:"When it ends."`
}

func spansOf(list []media.Span) []span {
	spans := make([]span, len(list))
	for i, s := range list {
		spans[i] = span{ms(s.Start), ms(s.End)}
	}
	return spans
}

type silence struct {
	Source       value.Media `port:"source,deferred" media:"audio|video" doc:"A sound, or a video."`
	ThresholdDB  float64     `port:"threshold_db" default:"-35" doc:"What is quieter counts as silence."`
	MinSilenceMs float64     `port:"min_silence_ms" default:"500" doc:"If it lasts so long."`
}

type silencesOut struct {
	Silences []span `port:"silences" doc:"When it is silent."`
}

func (c *core) detectSilence() node.Node {
	return rendering(c, "media.detect_silence", "Find silence", func(w work, in silence) (silencesOut, error) {
		r, err := w.recipe(in.Source)
		if err != nil {
			return silencesOut{}, err
		}
		found, err := w.Silences(w.ctx, &r, in.ThresholdDB, in.MinSilenceMs/1000)
		return silencesOut{spansOf(found)}, err
	}).Aliases("pauses, quiet parts", "pausen, stille finden").Doc("Tells when a sound, or that of a video, is silent.\n\nExample: `threshold_db` = `-40`.")
}

type cutIn struct {
	silence
	MarginMs float64 `port:"margin_ms" default:"150" doc:"How much silence stays before and after what is heard."`
	Speed    float64 `port:"speed" default:"0" doc:"0 cuts silences out; 4 plays them four times as fast, from 1.1 to 100. Of their sound the beginning and the end are heard then."`
}

type cutOut struct {
	Media     value.Media `port:"media" doc:"The same without silences."`
	RemovedMs float64     `port:"removed_ms" doc:"How much shorter it is."`
	Kept      []span      `port:"kept" doc:"What was kept of it."`
}

func (c *core) cutSilence() node.Node {
	return deferring(c, "media.cut_silence", "Cut silence", "media", cutSilences).
		Aliases("remove pauses, podcast, jump cut", "pausen entfernen, podcast").Doc(
		"Takes silences out of a sound or a video, or plays them fast. Picture and sound are cut together, so that they stay together however many cuts there are. It is listened to first, which takes a " +
			"moment.\n\nExample: `margin_ms` = `100`.")
}

func cutSilences(w work, in cutIn) (cutOut, error) {
	if in.MarginMs < 0 || in.MarginMs > 60_000 {
		return cutOut{}, node.Errorf(node.CodeInvalidInput, "margin_ms is from 0 to 60000")
	}
	if in.Speed != 0 && (in.Speed < 1.1 || in.Speed > 100) {
		return cutOut{}, node.Errorf(node.CodeInvalidInput, "speed is 0, which cuts, or from 1.1 to 100")
	}
	r, err := w.recipe(in.Source)
	if err != nil {
		return cutOut{}, err
	}
	found, err := w.Silences(w.ctx, &r, in.ThresholdDB, in.MinSilenceMs/1000)
	if err != nil {
		return cutOut{}, err
	}
	kept := media.Between(found, r.Facts.Duration, in.MarginMs/1000)
	before := r.Facts.Duration
	if len(kept) == 1 && kept[0].Start == 0 && kept[0].End == before {
		m, _, err := w.give(r)
		return cutOut{m, 0, spansOf(kept)}, err
	}
	m, f, err := w.thenAll(media.Step{Op: "keep", Spans: kept, Numbers: map[string]float64{"speed": in.Speed}}, []media.Recipe{r})
	return cutOut{m, ms(max(0, before-f.Duration)), spansOf(kept)}, err
}
