package mediaai_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/mediaai"
)

func (o *office) sign() {
	o.ffmpeg("-f", "lavfi", "-i", "color=white:s=600x200:r=1:d=1,drawtext=text='Hello World 42':font=Sans:fontsize=48:x=20:y=30,drawtext=text=Below:font=Sans:fontsize=48:x=20:y=110",
		"-frames:v", "1", "sign.png")
}

func TestTesseractTellsWhatIsWrittenWhere(t *testing.T) {
	needs(t, "tesseract", "tesseract-ocr")
	o := newOffice(t, nil)
	o.sign()
	for level, n := range map[string]int{"word": 4, "line": 2} {
		got := o.made("media.ocr", record{"image": file("image", "sign.png"), "level": level})
		require.Equal(t, "Hello World 42\nBelow", got["text"])
		blocks := got["blocks"].([]any)
		require.Len(t, blocks, n)
		first := blocks[0].(record)
		require.InDelta(t, 25, first["x"], 6)
		require.InDelta(t, 32, first["y"], 8)
		require.Greater(t, first["confidence"], 0.5)
		require.Equal(t, "tesseract", got["engine"])
	}
	f := o.refused("media.ocr", record{"image": file("image", "sign.png"), "language": "en+xx"})
	require.Equal(t, "tesseract does not know the language xx; install it (apt-get install tesseract-ocr-xx)", f.Message)
	f = o.refused("media.ocr", record{"image": file("image", "sign.png"), "language": "en+-l"})
	require.Equal(t, "invalid_input", f.Code)
}

func TestWithoutAReaderItSaysWhatIsMissing(t *testing.T) {
	without(t)
	o := newOffice(t, nil)
	o.sign()
	f := o.refused("media.ocr", record{"image": file("image", "sign.png")})
	require.Equal(t, "not_configured", f.Code)
	require.Equal(t, "nothing here reads pictures; install tesseract-ocr (apt-get install tesseract-ocr), or set MEDIA_AI_OCR_COMMAND or MEDIA_AI_URL", f.Message)
	f = o.refused("media.describe_image", record{"image": file("image", "sign.png")})
	require.Equal(t, "no API is configured; set MEDIA_AI_VISION_URL or MEDIA_AI_URL to its address", f.Message)
}

func TestAnAPISeesARewrittenPicture(t *testing.T) {
	o := newOffice(t, map[string]string{})
	o.ffmpeg("-f", "lavfi", "-i", "color=white:s=3000x200:r=1:d=1", "-frames:v", "1", "-metadata", "comment=PRIVATE", "wide.png")
	var sent, path string
	o.vars["MEDIA_AI_URL"] = serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent, path = string(body), r.URL.Path
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":" A white wall. "}}]}`)
	})
	got := o.made("media.describe_image", record{"image": file("image", "wide.png"), "max_words": 7})
	require.Equal(t, record{"text": "A white wall.", "engine": "api"}, got)
	require.Equal(t, "/v1/chat/completions", path)
	require.Contains(t, sent, "at most 7 words")
	_, picture, _ := strings.Cut(sent, "data:image/jpeg;base64,")
	picture, _, _ = strings.Cut(picture, `"`)
	jpeg, err := base64.StdEncoding.DecodeString(picture)
	require.NoError(t, err)
	require.NotContains(t, string(jpeg), "PRIVATE")
	require.Less(t, len(jpeg), 100_000)
	read := o.made("media.ocr", record{"image": file("image", "wide.png")})
	require.Equal(t, record{"text": "A white wall.", "blocks": []any{}, "engine": "api"}, read)
}

func TestPromptsAndStyles(t *testing.T) {
	o := newOffice(t, nil)
	got := o.made("media.prompt_enhance", record{"prompt": "a fox,", "visual_style": "ink", "suffix": "", "details": ""})
	require.Equal(t, "a fox, ink, vertical 9:16 composition, cinematic lighting", got["prompt"])
	got = o.made("media.prompt_enhance", record{"prompt": record{"a": 1}, "framing": "", "lighting": "", "details": "", "suffix": ""})
	require.Equal(t, `{"a":1}`, got["prompt"])
	style := o.made("media.caption_style", record{"font_size": 50})["style_config"].(record)
	require.Len(t, style, 12)
	require.Equal(t, 50, style["font_size"])
}

// FuzzTSV checks that any output of a program gives words in boxes.
func FuzzTSV(f *testing.F) {
	f.Add("level\n5\t1\t1\t1\t1\t1\t25\t30\t114\t37\t95.69\tHello\n5\t1\t1\t1\t2\t1\t25\t90\t114\t37\t-1\tyou\n", "line")
	f.Add("5\t1\t1\t1\t1\t1\tx\t30\t114\t37\tNaN\tHello", "word")
	f.Fuzz(func(t *testing.T, table, level string) {
		text, blocks := mediaai.ParseTSV(table, level)
		require.Equal(t, text == "", len(blocks) == 0)
		for _, b := range blocks {
			var sure struct{ Confidence float64 }
			require.NoError(t, json.Unmarshal(b, &sure))
			require.True(t, sure.Confidence >= 0 && sure.Confidence <= 1)
		}
	})
}
