package mediaai

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

func speaking() task {
	return task{variable: "TTS", model: "tts-1", lacks: "nothing here speaks; install espeak-ng (apt-get install espeak-ng), or set MEDIA_AI_TTS_COMMAND or MEDIA_AI_URL"}
}

// utterance is a text to speak, and how to speak it.
type utterance struct {
	text, language, voice string
	speed                 float64
	// more holds arguments that only some models know, in the order in which they are
	// passed.
	more []argument
	// sample is a recording of the voice to imitate, as WAV.
	sample []byte
}

type argument struct {
	name string
	text string
	n    *float64 // a number; if set, it is used instead of text
}

func call(program string, files map[string][]byte, result string, args []string) media.Call {
	return media.Call{Program: program, Args: args, Files: files, Result: result}
}

// maxText is the longest text that can be spoken in one call, in bytes.
const maxText = 100_000

func (u *utterance) check() error {
	switch {
	case strings.TrimSpace(u.text) == "":
		return refused("there is nothing to say; text is empty")
	case len(u.text) > maxText:
		return refused("text has more than %d bytes; say it in parts, and join them with media.audio_concat", maxText)
	case strings.ContainsRune(u.text, 0):
		return refused("text has a character that cannot be said")
	case !(u.speed >= 0.5 && u.speed <= 2):
		return refused("speed is from 0.5 to 2")
	case !isLanguage(u.language):
		return refused("language is a code such as en or de-AT")
	case !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+. -]{0,99}$`).MatchString(u.voice) || strings.Contains(u.voice, ".."):
		return refused("the name of the voice has characters that no name of one has")
	}
	return nil
}

func isLanguage(code string) bool {
	return regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`).MatchString(code)
}

// speaker converts text to speech. It returns the sound, the format of the file, and the
// name of the engine.
type speaker interface {
	speak(ctx context.Context, u utterance) (sound []byte, format, name string, err error)
}

type apiSpeaker struct {
	*ai
	way
	task task
}

func (s apiSpeaker) speak(ctx context.Context, u utterance) ([]byte, string, string, error) {
	if u.sample != nil {
		return nil, "", "", refused("an API takes no sound to be like; choose a voice by its name")
	}
	voice := u.voice
	if voice == "default" {
		voice = "alloy"
	}
	body := map[string]any{"model": s.model(s.task), "input": u.text, "voice": voice, "speed": u.speed, "response_format": "wav"}
	for _, m := range u.more {
		if m.n != nil {
			body[m.name] = *m.n
		} else if m.text != "" {
			body[m.name] = m.text
		}
	}
	sound, typ, err := s.post(ctx, s.way, "/audio/speech", body)
	format := map[string]string{"audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/flac": "flac", "audio/ogg": "ogg", "audio/opus": "opus", "audio/aac": "aac"}[typ]
	if format == "" {
		format = "wav"
	}
	return sound, format, "api", err
}

type commandSpeaker struct {
	*ai
	way
}

func (s commandSpeaker) speak(ctx context.Context, u utterance) ([]byte, string, string, error) {
	args := []string{"--text=" + u.text, "--language=" + u.language, "--voice=" + u.voice, "--speed=" + strconv.FormatFloat(u.speed, 'f', -1, 64), "--output=speech.wav"}
	for _, m := range u.more {
		if m.n != nil {
			args = append(args, "--"+m.name+"="+strconv.FormatFloat(*m.n, 'f', -1, 64))
		} else if m.text != "" {
			args = append(args, "--"+m.name+"="+m.text)
		}
	}
	var files map[string][]byte
	if u.sample != nil {
		files = map[string][]byte{"reference.wav": u.sample}
		args = append(args, "--reference-audio=reference.wav")
	}
	_, sound, err := s.run(ctx, s.way, files, "speech.wav", args...)
	return sound, "wav", "command", err
}

// machine speaks with programs of the machine: the system's voice, espeak-ng, or ffmpeg's
// flite.
type machine struct{ *ai }

func (m machine) speak(ctx context.Context, u utterance) ([]byte, string, string, error) {
	files := map[string][]byte{"text": []byte(u.text)}
	rate := strconv.Itoa(int(175 * u.speed))
	if program := m.Find("say"); program != "" {
		args := []string{"-r", rate, "-f", "text", "-o", "speech.aiff"}
		if u.voice != "default" {
			args = append(args, "-v", u.voice)
		}
		made, err := m.Call(ctx, call(program, files, "speech.aiff", args))
		return made.Result, "aiff", "say", err
	}
	if program := m.Find("espeak-ng"); program != "" {
		voice := u.voice
		if voice == "default" {
			voice = u.language
		}
		made, err := m.Call(ctx, call(program, files, "speech.wav", []string{"-v", voice, "-s", rate, "-w", "speech.wav", "-f", "text"}))
		return made.Result, "wav", "espeak-ng", err
	}
	switch {
	case !m.Has("flite"):
		return nil, "", "", missing("%s", speaking().lacks)
	case !strings.HasPrefix(u.language, "en"):
		return nil, "", "", missing("only English is spoken here; install espeak-ng for the language %s (apt-get install espeak-ng)", u.language)
	}
	voice := u.voice
	if voice == "default" {
		voice = "slt"
	}
	sound, err := m.Say(ctx, u.text, voice, u.speed)
	return sound, "flac", "flite", err
}

// speaker returns the engine that does a task, and a name for it that is part of the cache
// key.
func (a *ai) speaker(t task, engine string, key value.Credential) (speaker, string, error) {
	chosen, w, err := a.choose(t, engine, key)
	switch {
	case err != nil:
		return nil, "", err
	case chosen == "api":
		return apiSpeaker{a, w, t}, "api " + w.address + " " + a.model(t) + " " + string(key), nil
	case chosen == "command":
		return commandSpeaker{a, w}, "command " + w.command, nil
	}
	if t.variable != speaking().variable {
		return nil, "", missing("%s", t.lacks)
	}
	return machine{a}, "builtin", nil
}

type spokenOut struct {
	Audio      value.Media `port:"audio" media:"audio" doc:"What is said."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
	Cached     bool        `port:"cached" doc:"Whether it was said before, and is the same."`
	Engine     string      `port:"engine" doc:"Who said it."`
}

// utter speaks u, or takes the sound from the cache, and saves it with the run.
func (a *ai) utter(ctx context.Context, s speaker, who string, u utterance) (spokenOut, error) {
	if err := u.check(); err != nil {
		return spokenOut{}, err
	}
	key := u.key(who)
	said, cached := a.spoken.get(key)
	if !cached {
		var err error
		if said.sound, said.format, said.engine, err = s.speak(ctx, u); err != nil {
			return spokenOut{}, err
		}
	}
	m, facts, err := a.Keep(ctx, said.sound, said.format, "audio")
	if err != nil {
		return spokenOut{}, err
	}
	a.spoken.put(key, said)
	return spokenOut{m, float64(int64(facts.Duration*1e6)) / 1000, cached, said.engine}, nil
}

type speechIn struct {
	Text       string            `port:"text" widget:"multiline" doc:"What to say."`
	Language   string            `port:"language" default:"en" doc:"Its language, such as en or de."`
	VoiceID    string            `port:"voice_id" default:"default" doc:"Which voice; their names are those of the engine."`
	Speed      float64           `port:"speed" default:"1" doc:"From 0.5 to 2."`
	Engine     string            `port:"engine" enum:"auto|builtin|command|api" default:"auto" doc:"The engine. auto takes the API if it is configured, else the command, else programs of this machine."`
	Credential *value.Credential `port:"credential,optional" network:"mediaai" doc:"The key of the API, such as mediaai:main."`
}

func keyOf(c *value.Credential) value.Credential {
	if c == nil {
		return ""
	}
	return *c
}

func (a *ai) speech() node.Node {
	return asking("media.text_to_speech", "Speak", func(ctx context.Context, in speechIn) (spokenOut, error) {
		s, who, err := a.speaker(speaking(), in.Engine, keyOf(in.Credential))
		if err != nil {
			return spokenOut{}, err
		}
		return a.utter(ctx, s, who, utterance{text: in.Text, language: in.Language, voice: in.VoiceID, speed: in.Speed})
	}).Aliases("tts, voice, read aloud, narrate", "sprechen, vorlesen, stimme").Example(map[string]any{"text": "Welcome."}).Doc(
		"Says a text. What was said before with the same voice is not said again.\n\nExample: `text` = `Welcome.`, `speed` = `0.9`.\n\n" +
			"The voices of the machine itself, of espeak-ng and ffmpeg, are weak: clear enough for drafts, and no more. An API or a command with a model speaks like people.")
}

type sayIn struct {
	Text    string  `port:"text" widget:"multiline" doc:"What to say."`
	VoiceID string  `port:"voice_id" default:"default" doc:"Which voice of the system."`
	Speed   float64 `port:"speed" default:"1" doc:"From 0.5 to 2."`
}

func (a *ai) say() node.Node {
	return asking("media.text_to_speech.say", "Speak with the system's voice", func(ctx context.Context, in sayIn) (spokenOut, error) {
		return a.utter(ctx, machine{a}, "builtin", utterance{text: in.Text, language: "en", voice: in.VoiceID, speed: in.Speed})
	}).Aliases("tts, macos say, espeak", "sprechen, systemstimme").Example(map[string]any{"text": "Welcome."}).Doc(
		"Says a text with the voice of the machine: `say` on macOS, else espeak-ng, else that of ffmpeg, which are weak voices.\n\nExample: `text` = `Welcome.`")
}

type qwenIn struct {
	Text        string  `port:"text" widget:"multiline" doc:"What to say."`
	Voice       string  `port:"voice" default:"" doc:"Which voice of the model."`
	Reference   string  `port:"reference_audio_path" default:"" widget:"file" doc:"A sound with a voice to be like, for a command."`
	Temperature float64 `port:"temperature" default:"0.1" doc:"How freely it speaks, from 0 to 2."`
}

func (a *ai) qwen3() node.Node {
	t := task{variable: "QWEN3", model: "qwen3-tts", lacks: "Qwen3 TTS is not configured; set MEDIA_AI_QWEN3_COMMAND or MEDIA_AI_QWEN3_URL to what runs it"}
	return asking("media.text_to_speech.qwen3", "Speak with Qwen3", func(ctx context.Context, in qwenIn) (spokenOut, error) {
		s, who, err := a.speaker(t, "auto", "")
		if err != nil {
			return spokenOut{}, err
		}
		u := utterance{text: in.Text, language: "en", voice: in.Voice, speed: 1, more: []argument{{name: "temperature", n: &in.Temperature}}}
		if u.voice == "" {
			u.voice = "default"
		}
		if in.Reference != "" {
			if u.sample, err = a.wav(ctx, value.Media{Kind: "audio", Path: in.Reference}); err != nil {
				return spokenOut{}, err
			}
		}
		return a.utter(ctx, s, who, u)
	}).Aliases("tts, qwen, clone voice", "sprechen, stimme nachahmen").Example(map[string]any{"text": "Welcome."}).Doc(
		"Says a text with the operator's Qwen3 TTS.\n\nExample: `text` = `Welcome.`, `voice` = `Cherry`.")
}

type outeIn struct {
	Text        string  `port:"text" widget:"multiline" doc:"What to say."`
	Language    string  `port:"language" default:"en" doc:"Its language."`
	Voice       string  `port:"voice" default:"default" doc:"Which voice of the model."`
	Instruct    string  `port:"instruct" default:"" doc:"How to say it."`
	Temperature float64 `port:"temperature" default:"0.7" doc:"How freely it speaks, from 0 to 2."`
	Seed        int     `port:"seed" default:"42" doc:"The same number gives the same speech."`
}

func (a *ai) oute() node.Node {
	t := task{variable: "OUTE", model: "oute-tts", lacks: "OuteTTS is not configured; set MEDIA_AI_OUTE_COMMAND or MEDIA_AI_OUTE_URL to what runs it"}
	return asking("media.text_to_speech.oute", "Speak with OuteTTS", func(ctx context.Context, in outeIn) (spokenOut, error) {
		s, who, err := a.speaker(t, "auto", "")
		if err != nil {
			return spokenOut{}, err
		}
		seed := float64(in.Seed)
		return a.utter(ctx, s, who, utterance{text: in.Text, language: in.Language, voice: in.Voice, speed: 1, more: []argument{
			{name: "instruct", text: in.Instruct}, {name: "temperature", n: &in.Temperature}, {name: "seed", n: &seed},
		}})
	}).Aliases("tts, oute", "sprechen").Example(map[string]any{"text": "Welcome."}).Doc(
		"Says a text with the operator's OuteTTS.\n\nExample: `text` = `Welcome.`, `instruct` = `calm`.")
}
