package mediaai

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

func hearing() task {
	return task{variable: "STT", model: "whisper-1", lacks: "nothing here listens; set MEDIA_AI_STT_COMMAND or MEDIA_AI_URL, or, for clear English, install pocketsphinx-en-us"}
}

type listenIn struct {
	Audio      value.Media       `port:"audio,deferred" media:"audio|video" doc:"A sound, or a video."`
	Language   string            `port:"language" default:"en" doc:"Which language is spoken, such as en or de."`
	Engine     string            `port:"engine" enum:"auto|builtin|command|api" default:"auto" doc:"The engine. auto takes the API if it is configured, else the command, else programs of this machine."`
	Credential *value.Credential `port:"credential,optional" network:"mediaai" doc:"The key of the API, such as mediaai:main."`
	Prompt     string            `port:"prompt" default:"" doc:"What it is about, or names that are said; engines may not mind it."`
}

type listenOut struct {
	Text       string          `port:"text" doc:"What is said."`
	Confidence *float64        `port:"confidence" doc:"How sure it is, from 0 to 1; null where the engine does not tell."`
	Segments   []media.Caption `port:"segments" doc:"What is said, and when."`
	Words      []media.Word    `port:"words" doc:"The same word by word, where the engine tells."`
	Language   string          `port:"language" doc:"Which language is spoken."`
	Engine     string          `port:"engine" doc:"Who listened."`
}

// transcript is the response of a speech recognition engine. Engines leave out many of the
// fields.
type transcript struct {
	Text       string   `json:"text"`
	Language   string   `json:"language"`
	Confidence *float64 `json:"confidence"`
	Segments   []struct {
		Text       string   `json:"text"`
		Start      float64  `json:"start"`
		End        float64  `json:"end"`
		LogProb    *float64 `json:"avg_logprob"`
		Confidence *float64 `json:"confidence"`
	} `json:"segments"`
	Words []struct {
		Word        string   `json:"word"`
		Text        string   `json:"text"`
		Start       float64  `json:"start"`
		End         float64  `json:"end"`
		Confidence  *float64 `json:"confidence"`
		Probability *float64 `json:"probability"`
	} `json:"words"`
}

// out converts the transcript to the node's output. A confidence that the engine did not
// report is null.
func (t *transcript) out(engine, language string) listenOut {
	o := listenOut{Text: clean(t.Text), Confidence: within(t.Confidence), Segments: []media.Caption{}, Words: []media.Word{}, Language: language, Engine: engine}
	if t.Language != "" {
		o.Language = clean(t.Language)
	}
	sum, told := 0.0, 0
	for _, s := range t.Segments {
		o.Segments = append(o.Segments, media.Caption{Text: clean(s.Text), StartMs: ms(s.Start), EndMs: max(ms(s.Start), ms(s.End))})
		c := s.Confidence
		if c == nil && s.LogProb != nil {
			c = new(math.Exp(*s.LogProb))
		}
		if c = within(c); c != nil {
			sum, told = sum+*c, told+1
		}
	}
	if o.Confidence == nil && told > 0 && told == len(t.Segments) {
		o.Confidence = new(sum / float64(told))
	}
	for _, w := range t.Words {
		c := w.Confidence
		if c == nil {
			c = w.Probability
		}
		o.Words = append(o.Words, media.Word{Text: clean(w.Word + w.Text), StartMs: ms(w.Start), EndMs: max(ms(w.Start), ms(w.End)), Confidence: within(c)})
	}
	if o.Text == "" {
		var all []string
		for _, s := range o.Segments {
			all = append(all, s.Text)
		}
		o.Text = strings.Join(all, " ")
	}
	return o
}

func clean(text string) string { return strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")) }

func within(c *float64) *float64 {
	if c == nil || !(*c >= 0) {
		return nil
	}
	return new(min(1, *c))
}

func ms(seconds float64) float64 { return math.Round(max(0, min(seconds, 1e6))*1e6) / 1000 }

// listener converts speech to text.
type listener interface {
	listen(ctx context.Context, r *media.Recipe, language, prompt string) (listenOut, error)
}

type apiListener struct {
	*ai
	way
}

func (l apiListener) listen(ctx context.Context, r *media.Recipe, language, prompt string) (listenOut, error) {
	sound, err := l.heard(ctx, r, "flac")
	if err != nil {
		return listenOut{}, err
	}
	fields := [][2]string{
		{"model", l.model(hearing())},
		{"language", language},
		{"response_format", "verbose_json"},
		{"timestamp_granularities[]", "segment"},
		{"timestamp_granularities[]", "word"},
	}
	if prompt != "" {
		fields = append(fields, [2]string{"prompt", prompt})
	}
	answer, typ, err := l.upload(ctx, l.way, "/audio/transcriptions", "audio.flac", sound, fields)
	if err != nil {
		return listenOut{}, err
	}
	var t transcript
	if strings.HasPrefix(typ, "text/") {
		t.Text = string(answer)
	} else if err := understand(answer, "the API", &t); err != nil {
		return listenOut{}, err
	}
	return t.out("api", language), nil
}

type commandListener struct {
	*ai
	way
}

func (l commandListener) listen(ctx context.Context, r *media.Recipe, language, prompt string) (listenOut, error) {
	sound, err := l.heard(ctx, r, "wav")
	if err != nil {
		return listenOut{}, err
	}
	printed, _, err := l.run(ctx, l.way, map[string][]byte{"audio.wav": sound}, "", "--audio=audio.wav", "--language="+language, "--prompt="+prompt)
	if err != nil {
		return listenOut{}, err
	}
	var t transcript
	if err := understand(printed, "the command", &t); err != nil {
		return listenOut{}, err
	}
	return t.out("command", language), nil
}

// whisper runs ffmpeg's whisper filter, with a model file that the operator has installed.
type whisper struct {
	*ai

	model string
}

func (l whisper) listen(ctx context.Context, r *media.Recipe, language, _ string) (listenOut, error) {
	if _, err := os.Stat(l.model); err != nil {
		return listenOut{}, missing("the model that MEDIA_AI_WHISPER_MODEL names is not there")
	}
	if !l.Has("whisper") {
		return listenOut{}, missing("this build of ffmpeg has no filter whisper, which MEDIA_AI_WHISPER_MODEL is for; it is in some builds from 8.0 on")
	}
	code, _, _ := strings.Cut(strings.ToLower(language), "-")
	said, err := l.Whisper(ctx, r, l.model, code)
	if err != nil {
		return listenOut{}, err
	}
	t := transcript{}
	o := t.out("whisper", language)
	var all []string
	o.Segments = append(o.Segments, said...)
	for _, c := range said {
		all = append(all, c.Text)
	}
	o.Text = strings.Join(all, " ")
	return o, nil
}

// ear runs ffmpeg's asr filter with the English model of pocketsphinx, whose accuracy is
// low.
type ear struct{ *ai }

// models is the folder of the model if pocketsphinx is installed as a package.
const models = "/usr/share/pocketsphinx/model/en-us"

func (l ear) listen(ctx context.Context, r *media.Recipe, language, _ string) (listenOut, error) {
	if _, err := os.Stat(filepath.Join(models, "en-us.lm.bin")); err != nil || !l.Has("asr") {
		return listenOut{}, missing("%s", hearing().lacks)
	}
	if !strings.HasPrefix(language, "en") {
		return listenOut{}, missing("only English is understood here; set MEDIA_AI_STT_COMMAND or MEDIA_AI_URL to what knows the language %s", language)
	}
	said, err := l.Hear(ctx, r, media.Model{
		Sounds: filepath.Join(models, "en-us"), Words: filepath.Join(models, "cmudict-en-us.dict"), Grammar: filepath.Join(models, "en-us.lm.bin"),
	})
	if err != nil {
		return listenOut{}, err
	}
	t := transcript{}
	o := t.out("asr", "en")
	var all []string
	for _, s := range said {
		o.Segments = append(o.Segments, media.Caption{Text: clean(s.Text), StartMs: ms(s.Start), EndMs: ms(s.End)})
		all = append(all, clean(s.Text))
	}
	o.Text = strings.Join(all, " ")
	return o, nil
}

// heard returns the sound of a recipe, re-encoded as 16 kHz mono for speech recognition.
func (a *ai) heard(ctx context.Context, r *media.Recipe, format string) ([]byte, error) {
	sound := *r
	if r.Facts.Kind == "video" {
		var err error
		if sound, err = media.Then(media.Step{Op: "extract"}, *r); err != nil {
			return nil, err
		}
	}
	return a.Rewrite(ctx, &sound, media.Target{Format: format, Samples: 16_000, Channels: 1, Strip: true})
}

// wav returns a sound re-encoded as WAV.
func (a *ai) wav(ctx context.Context, m value.Media) ([]byte, error) {
	r, err := a.RecipeOf(ctx, m)
	if err != nil {
		return nil, err
	}
	return a.heard(ctx, &r, "wav")
}

func (a *ai) listener(engine string, key value.Credential) (listener, error) {
	chosen, w, err := a.choose(hearing(), engine, key)
	switch {
	case err != nil:
		return nil, err
	case chosen == "api":
		return apiListener{a, w}, nil
	case chosen == "command":
		return commandListener{a, w}, nil
	}
	if model := a.getenv("MEDIA_AI_WHISPER_MODEL"); model != "" {
		return whisper{a, model}, nil
	}
	return ear{a}, nil
}

func (a *ai) listening() node.Node {
	return asking("media.speech_to_text", "Listen", func(ctx context.Context, in listenIn) (listenOut, error) {
		if !isLanguage(in.Language) || len(in.Prompt) > 10_000 || strings.ContainsRune(in.Prompt, 0) {
			return listenOut{}, refused("language is a code such as en or de-AT, and prompt has at most 10000 bytes")
		}
		l, err := a.listener(in.Engine, keyOf(in.Credential))
		if err != nil {
			return listenOut{}, err
		}
		r, err := a.RecipeOf(ctx, in.Audio)
		if err != nil {
			return listenOut{}, err
		}
		if r.Facts.Kind == "image" {
			return listenOut{}, refused("a picture has no sound")
		}
		return l.listen(ctx, &r, in.Language, in.Prompt)
	}).Aliases("transcribe, stt, whisper, dictation", "transkribieren, verschriften").Doc(
		"Writes down what is said in a sound or a video, and when.\n\nExample: wire `segments` into `media.captions_arrange` for captions.\n\n" +
			"`MEDIA_AI_WHISPER_MODEL` names a model for the filter whisper of ffmpeg, where a build has it. The ear of the machine without one, ffmpeg's with the package pocketsphinx-en-us, is weak: it knows English that is spoken clearly, gets words wrong, and tells no single words and no confidence.")
}
