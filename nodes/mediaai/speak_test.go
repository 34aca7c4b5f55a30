package mediaai_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMachineSpeaks(t *testing.T) {
	o := newOffice(t, nil)
	needs(t, "espeak-ng", "espeak-ng")
	first := o.made("media.text_to_speech", record{"text": "-f /etc/passwd $(id) <break/>", "speed": 1})
	require.Equal(t, []any{"espeak-ng", false}, []any{first["engine"], first["cached"]})
	require.Greater(t, first["duration_ms"], 500.0)
	require.Equal(t, "RIFF", string(o.read(path(t, first["audio"]))[:4]))
	again := o.made("media.text_to_speech", record{"text": "-f /etc/passwd $(id) <break/>", "speed": 1})
	require.Equal(t, true, again["cached"])
	require.Equal(t, first["duration_ms"], again["duration_ms"])
	faster := o.made("media.text_to_speech.say", record{"text": "-f /etc/passwd $(id) <break/>", "speed": 2})
	require.Equal(t, false, faster["cached"])
	require.Less(t, faster["duration_ms"], first["duration_ms"].(float64)*0.8)
	for config, want := range map[string]string{
		`{"text":" "}`:                          "there is nothing to say; text is empty",
		`{"text":"x","speed":3}`:                "speed is from 0.5 to 2",
		`{"text":"x","language":"../x"}`:        "language is a code such as en or de-AT",
		`{"text":"x","voice_id":"../../x"}`:     "the name of the voice has characters that no name of one has",
		`{"text":"x","engine":"api"}`:           "no API is configured; set MEDIA_AI_TTS_URL or MEDIA_AI_URL to its address",
		`{"text":"x","engine":"command"}`:       "no command is configured; set MEDIA_AI_TTS_COMMAND to its path",
		`{"text":"x","voice_id":"nosuchvoice"}`: "espeak-ng failed: ",
	} {
		var c record
		require.NoError(t, json.Unmarshal([]byte(config), &c))
		require.Contains(t, o.refused("media.text_to_speech", c).Message, want)
	}
}

func TestTheConverterSpeaksAndListens(t *testing.T) {
	without(t)
	o := newOffice(t, nil)
	said := o.made("media.text_to_speech.say", record{"text": "Hello world. This is a test."})
	require.Equal(t, "flite", said["engine"])
	f := o.refused("media.text_to_speech", record{"text": "Hallo", "language": "de"})
	require.Equal(t, "not_configured", f.Code)
	require.Equal(t, "only English is spoken here; install espeak-ng for the language de (apt-get install espeak-ng)", f.Message)
	r := o.run("media.speech_to_text", record{"audio": file("audio", path(t, said["audio"]))})
	if r.Error != nil && r.Error.Code == "not_configured" {
		t.Skip("needs a model: apt-get install pocketsphinx-en-us")
	}
	heard := r.Nodes["n"].Outputs
	require.Contains(t, heard["text"], "hello world")
	require.Nil(t, heard["confidence"])
	require.NotEmpty(t, heard["segments"])
	require.Equal(t, "asr", heard["engine"])
}

func TestAnAPISpeaks(t *testing.T) {
	o := newOffice(t, map[string]string{})
	o.ffmpeg("-f", "lavfi", "-i", "sine=d=1", "voice.wav")
	voice := o.read("voice.wav")
	status := http.StatusOK
	var asked record
	o.vars["MEDIA_AI_URL"] = serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = nil
		_ = json.NewDecoder(r.Body).Decode(&asked)
		asked["path"], asked["key"] = r.URL.Path, r.Header.Get("Authorization")
		w.Header().Set("Content-Type", "audio/wav")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		if status == http.StatusOK {
			_, _ = w.Write(voice)
		} else {
			_, _ = w.Write([]byte(`{"error":{"message":"no such voice"}}`))
		}
	})
	out := o.made("media.text_to_speech", record{"text": "Hello", "credential": "mediaai:main", "speed": 1.5})
	require.Equal(t, record{
		"path": "/v1/audio/speech", "key": "Bearer sk-secret", "model": "tts-1", "input": "Hello", "voice": "alloy", "speed": 1.5, "response_format": "wav",
	}, asked)
	require.Equal(t, []any{"api", 1000.0, false}, []any{out["engine"], out["duration_ms"], out["cached"]})
	for code, want := range map[int][2]string{
		http.StatusUnauthorized: {"forbidden", "wants another key: choose a credential of the network mediaai: no such voice"},
		http.StatusBadRequest:   {"failed", "answered with status 400: no such voice"},
		http.StatusBadGateway:   {"unavailable", "answered with status 502: no such voice"},
		http.StatusFound:        {"failed", "answered with status 302"},
	} {
		status = code
		f := o.refused("media.text_to_speech", record{"text": "Bye", "credential": "mediaai:main"})
		require.Equal(t, want[0], f.Code, f.Message)
		require.Contains(t, f.Message, want[1])
	}
	status, voice = http.StatusOK, []byte("#EXTM3U\nhttp://127.0.0.1:1/x.ts\n")
	f := o.refused("media.text_to_speech", record{"text": "What is no sound"})
	require.Equal(t, "unreadable", f.Code)
	f = o.refused("media.text_to_speech", record{"text": "x", "credential": "mediaai:other"})
	require.Equal(t, "unknown_credential", f.Code)
}

func TestACommandSpeaks(t *testing.T) {
	o := newOffice(t, map[string]string{})
	o.ffmpeg("-f", "lavfi", "-i", "sine=d=1", "voice.wav")
	o.vars["MEDIA_AI_TTS_COMMAND"] = script(t, `for a; do printf '%s\n' "$a" >> `+o.dir+`/args; done
env > `+o.dir+`/env; cp `+o.dir+`/voice.wav speech.wav; echo '{"ok":true}'`)
	out := o.made("media.text_to_speech", record{"text": "--output=/etc/x", "language": "de-AT", "voice_id": "Bob"})
	require.Equal(t, "command", out["engine"])
	require.Equal(t, "--text=--output=/etc/x\n--language=de-AT\n--voice=Bob\n--speed=1\n--output=speech.wav\n", string(o.read("args")))
	require.NotContains(t, string(o.read("env")), "MEDIA_AI")
	f := o.refused("media.text_to_speech.oute", record{"text": "x"})
	require.Equal(t, "OuteTTS is not configured; set MEDIA_AI_OUTE_COMMAND or MEDIA_AI_OUTE_URL to what runs it", f.Message)
	o.vars["MEDIA_AI_QWEN3_COMMAND"] = script(t, `case "$*" in *--temperature=0.1*--reference-audio=reference.wav) head -c 4 reference.wav >&2; cp reference.wav speech.wav;; *) exit 1;; esac`)
	out = o.made("media.text_to_speech.qwen3", record{"text": "x", "reference_audio_path": "voice.wav"})
	require.Equal(t, "command", out["engine"])
	require.InDelta(t, 1000, out["duration_ms"], 1)
	o.vars["MEDIA_AI_OUTE_COMMAND"] = script(t, `case "$*" in *--instruct=calm*--seed=7*) cp `+o.dir+`/voice.wav speech.wav;; *) exit 1;; esac`)
	require.InDelta(t, 1000, o.made("media.text_to_speech.oute", record{"text": "said", "instruct": "calm", "seed": 7})["duration_ms"], 1)
	o.vars["MEDIA_AI_OUTE_COMMAND"] = script(t, `echo "no such model" >&2; exit 3`)
	require.Equal(t, "engine failed: no such model", o.refused("media.text_to_speech.oute", record{"text": "x"}).Message)
	o.vars["MEDIA_AI_TTS_COMMAND"] = script(t, `exit 0`)
	require.Equal(t, "engine has made no file", o.refused("media.text_to_speech", record{"text": "other"}).Message)
}
