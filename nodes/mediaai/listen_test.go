package mediaai_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAPIListens(t *testing.T) {
	o := newOffice(t, map[string]string{"MEDIA_AI_STT_MODEL": "whisper-x"})
	o.ffmpeg("-f", "lavfi", "-i", "testsrc2=d=1:s=64x64", "-f", "lavfi", "-i", "sine=d=1", "-metadata", "title=PRIVATE", "in.mp4")
	answer, typ := "", "application/json"
	var form map[string][]string
	var sent []byte
	o.vars["MEDIA_AI_STT_URL"] = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/audio/transcriptions" && r.ParseMultipartForm(1<<20) == nil {
			form = r.MultipartForm.Value
			if f, err := r.MultipartForm.File["file"][0].Open(); err == nil {
				sent, _ = io.ReadAll(f)
			}
		}
		w.Header().Set("Content-Type", typ)
		_, _ = io.WriteString(w, answer)
	}) + "/v1/"
	for name, c := range map[string]struct {
		answer, typ string
		want        record
	}{
		"all of it": {
			`{"text":" Hello you ","language":"english","segments":[{"start":0,"end":0.5,"text":" Hello","avg_logprob":-0.10536},{"start":0.5,"end":1,"text":"you","avg_logprob":0}],"words":[{"word":"Hello","start":0,"end":0.45}],"more":1}`,
			"application/json",
			record{
				"text": "Hello you", "confidence": 0.95, "language": "english", "engine": "api",
				"segments": []any{record{"text": "Hello", "start_ms": 0.0, "end_ms": 500.0}, record{"text": "you", "start_ms": 500.0, "end_ms": 1000.0}},
				"words":    []any{record{"text": "Hello", "start_ms": 0.0, "end_ms": 450.0, "confidence": nil}},
			},
		},
		"the text alone": {`{"text":"Hello"}`, "application/json", record{"text": "Hello", "confidence": nil, "language": "en", "engine": "api", "segments": []any{}, "words": []any{}}},
		"no JSON":        {"Hello\n", "text/plain; charset=utf-8", record{"text": "Hello", "confidence": nil, "language": "en", "engine": "api", "segments": []any{}, "words": []any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			answer, typ = c.answer, c.typ
			got := o.made("media.speech_to_text", record{"audio": file("video", "in.mp4"), "prompt": "Names"})
			if sure, ok := got["confidence"].(float64); ok {
				require.InDelta(t, c.want["confidence"], sure, 0.001)
				got["confidence"] = c.want["confidence"]
			}
			require.Equal(t, c.want, got)
		})
	}
	require.Equal(t, []string{"whisper-x"}, form["model"])
	require.Equal(t, []string{"Names"}, form["prompt"])
	require.Equal(t, []string{"segment", "word"}, form["timestamp_granularities[]"])
	require.Equal(t, "fLaC", string(sent[:4]), "the sound goes there rewritten")
	require.NotContains(t, string(sent), "PRIVATE")
	answer, typ = "[1]", "application/json"
	require.Equal(t, "the API has not answered in the form that was asked for", o.refused("media.speech_to_text", record{"audio": file("video", "in.mp4")}).Message)
}

func TestACommandListens(t *testing.T) {
	o := newOffice(t, map[string]string{})
	o.ffmpeg("-f", "lavfi", "-i", "sine=d=1", "in.mp3")
	o.vars["MEDIA_AI_STT_COMMAND"] = script(t, `[ "$1" = --audio=audio.wav ] && [ "$(head -c 4 audio.wav)" = RIFF ] && echo '{"segments":[{"start":0,"end":1,"text":"Hi","confidence":0.5}]}'`)
	got := o.made("media.speech_to_text", record{"audio": file("audio", "in.mp3"), "language": "de"})
	require.Equal(t, []any{"Hi", 0.5, "command", "de"}, []any{got["text"], got["confidence"], got["engine"], got["language"]})
	f := o.refused("media.speech_to_text", record{"audio": file("audio", "in.mp3"), "engine": "builtin", "language": "de"})
	require.Equal(t, "not_configured", f.Code)
}

// A fake ffmpeg claims to have the filter whisper, and writes what the filter would write.
func TestFFmpegListensByAModel(t *testing.T) {
	o := newOffice(t, map[string]string{})
	o.ffmpeg("-f", "lavfi", "-i", "sine=d=2", "in.mp3")
	config := record{"audio": file("audio", "in.mp3"), "language": "de-AT"}
	o.vars["MEDIA_AI_WHISPER_MODEL"] = "/nowhere/model.bin"
	f := o.refused("media.speech_to_text", config)
	require.Equal(t, []string{"not_configured", "the model that MEDIA_AI_WHISPER_MODEL names is not there"}, []string{f.Code, f.Message})
	model := filepath.Join(t.TempDir(), "model.bin")
	require.NoError(t, os.WriteFile(model, nil, 0o600))
	o.vars["MEDIA_AI_WHISPER_MODEL"] = model
	f = o.refused("media.speech_to_text", config)
	require.Equal(t, []string{"not_configured", "this build of ffmpeg has no filter whisper, which MEDIA_AI_WHISPER_MODEL is for; it is in some builds from 8.0 on"}, []string{f.Code, f.Message})

	o = newOffice(t, map[string]string{"MEDIA_AI_WHISPER_MODEL": model, "SVC_FFMPEG": script(t, `case " $* " in
*' -filters '*) ffmpeg "$@"; echo ' ... whisper           A->A       Transcribe audio using whisper.cpp.' ;;
*whisper=model=`+model+`:language=de:*) printf '1\n00:00:00,000 --> 00:00:01,200\nGrüß Gott\n\n2\n00:00:01,200 --> 00:00:02,000\nund Servus\n' > heard.srt ;;
*) exec ffmpeg "$@" ;;
esac`)})
	o.ffmpeg("-f", "lavfi", "-i", "sine=d=2", "in.mp3")
	got := o.made("media.speech_to_text", config)
	require.Equal(t, record{
		"text": "Grüß Gott und Servus", "confidence": nil, "language": "de-AT", "engine": "whisper", "words": []any{},
		"segments": []any{record{"text": "Grüß Gott", "start_ms": 0.0, "end_ms": 1200.0}, record{"text": "und Servus", "start_ms": 1200.0, "end_ms": 2000.0}},
	}, got)
}
