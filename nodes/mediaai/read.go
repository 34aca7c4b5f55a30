package mediaai

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

func seeing() task {
	return task{variable: "OCR", lacks: "nothing here reads pictures; install tesseract-ocr (apt-get install tesseract-ocr), or set MEDIA_AI_OCR_COMMAND or MEDIA_AI_URL"}
}

func vision() task { return task{variable: "VISION", model: "gpt-4o-mini"} }

type readIn struct {
	Image      value.Media       `port:"image,deferred" media:"image" doc:"The picture."`
	Language   string            `port:"language" default:"en" doc:"Which language is written, such as en; en+de for several."`
	Level      string            `port:"level" enum:"word|line|block" default:"line" doc:"What each of the blocks is."`
	Engine     string            `port:"engine" enum:"auto|builtin|command|api" default:"auto" doc:"The engine. auto takes the API if it is configured, else the command, else programs of this machine."`
	Credential *value.Credential `port:"credential,optional" network:"mediaai" doc:"The key of the API, such as mediaai:main."`
}

type block struct {
	Text       string  `port:"text" doc:"What is written there." json:"text"`
	X          int     `port:"x" doc:"How far from the left." json:"x"`
	Y          int     `port:"y" doc:"How far from the top." json:"y"`
	Width      int     `port:"width" doc:"How wide it is." json:"width"`
	Height     int     `port:"height" doc:"How high it is." json:"height"`
	Confidence float64 `port:"confidence" doc:"How sure it is, from 0 to 1." json:"confidence"`
}

type readOut struct {
	Text   string  `port:"text" doc:"All that is written."`
	Blocks []block `port:"blocks" doc:"Where it is written; empty where the engine does not tell."`
	Engine string  `port:"engine" doc:"Who read it."`
}

// reader recognizes the text in a PNG picture.
type reader interface {
	read(ctx context.Context, picture []byte, languages []string, level string) (readOut, error)
}

type apiReader struct {
	*ai
	way
}

func (r apiReader) read(ctx context.Context, picture []byte, _ []string, _ string) (readOut, error) {
	text, err := r.look(ctx, r.way, picture, "image/png", "Write down all text that is in the picture, exactly and line by line, and nothing else.")
	return readOut{text, []block{}, "api"}, err
}

type commandReader struct {
	*ai
	way
}

func (r commandReader) read(ctx context.Context, picture []byte, languages []string, level string) (readOut, error) {
	printed, _, err := r.run(ctx, r.way, map[string][]byte{"image.png": picture}, "", "--image=image.png", "--language="+strings.Join(languages, "+"), "--level="+level)
	if err != nil {
		return readOut{}, err
	}
	var said struct {
		Text   string  `json:"text"`
		Blocks []block `json:"blocks"`
	}
	if err := understand(printed, "the command", &said); err != nil {
		return readOut{}, err
	}
	return readOut{clean(said.Text), append([]block{}, said.Blocks...), "command"}, nil
}

// tesseract runs the program tesseract.
type tesseract struct{ *ai }

func (r tesseract) read(ctx context.Context, picture []byte, languages []string, level string) (readOut, error) {
	program := r.Find("tesseract")
	if program == "" {
		return readOut{}, missing("%s", seeing().lacks)
	}
	codes := make([]string, len(languages))
	for i, l := range languages {
		codes[i] = tessCode(l)
	}
	files := map[string][]byte{"image.png": picture}
	known, err := r.Call(ctx, call(program, nil, "", []string{"--list-langs"}))
	if err != nil {
		return readOut{}, err
	}
	for i, code := range codes {
		if !slices.Contains(strings.Fields(string(known.Printed)), code) {
			return readOut{}, missing("tesseract does not know the language %s; install it (apt-get install tesseract-ocr-%s)", languages[i], strings.ReplaceAll(code, "_", "-"))
		}
	}
	made, err := r.Call(ctx, call(program, files, "", []string{"image.png", "stdout", "-l", strings.Join(codes, "+"), "tsv"}))
	if err != nil {
		return readOut{}, err
	}
	text, blocks := parseTSV(string(made.Printed), level)
	return readOut{text, blocks, "tesseract"}, nil
}

// tessCode returns tesseract's code of a language. A code that is not in the table, such as
// "deu", is returned without its region.
func tessCode(language string) string {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	codes := map[string]string{
		"en": "eng", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por", "nl": "nld", "pl": "pol", "ru": "rus", "uk": "ukr", "cs": "ces", "sv": "swe",
		"da": "dan", "no": "nor", "fi": "fin", "hu": "hun", "ro": "ron", "tr": "tur", "el": "ell", "ar": "ara", "he": "heb", "hi": "hin", "ja": "jpn", "ko": "kor",
		"zh": "chi_sim", "vi": "vie", "th": "tha", "la": "lat",
	}
	if code, ok := codes[base]; ok {
		return code
	}
	return base
}

// parseTSV reads tesseract's TSV output. It returns the text, and one block for each part
// of the given level: "block", "line" or "word".
func parseTSV(table, level string) (text string, blocks []block) {
	depth := map[string]int{"block": 1, "line": 3, "word": 4}[level] // number of columns that identify a part, after the page
	blocks = []block{}
	var all strings.Builder
	lastLine, lastPart, n := "", "", 0
	for row := range strings.Lines(table) {
		cells := strings.SplitN(strings.TrimRight(row, "\r\n"), "\t", 12)
		if len(cells) < 12 || cells[0] != "5" || strings.TrimSpace(cells[11]) == "" {
			continue
		}
		word, ok := wordOf(cells)
		if !ok {
			continue
		}
		line, part := strings.Join(cells[1:5], " "), strings.Join(cells[1:2+depth], " ")
		if all.Len() > 0 {
			all.WriteString(map[bool]string{true: " ", false: "\n"}[line == lastLine])
		}
		all.WriteString(word.Text)
		if part != lastPart || len(blocks) == 0 {
			blocks, n = append(blocks, word), 1
		} else {
			n++
			blocks[len(blocks)-1].add(word, n, line == lastLine)
		}
		lastLine, lastPart = line, part
	}
	return all.String(), blocks
}

func wordOf(cells []string) (block, bool) {
	var n [4]int
	for i := range n {
		v, err := strconv.Atoi(cells[6+i])
		if err != nil {
			return block{}, false
		}
		n[i] = v
	}
	sure, err := strconv.ParseFloat(cells[10], 64)
	if err != nil || math.IsNaN(sure) {
		return block{}, false
	}
	return block{clean(cells[11]), n[0], n[1], n[2], n[3], min(1, max(0, sure/100))}, true
}

// add appends the nth word to a block. The block's box grows to include the word's, and its
// confidence becomes the mean of all words.
func (b *block) add(w block, n int, sameLine bool) {
	right, bottom := max(b.X+b.Width, w.X+w.Width), max(b.Y+b.Height, w.Y+w.Height)
	b.X, b.Y = min(b.X, w.X), min(b.Y, w.Y)
	b.Width, b.Height = right-b.X, bottom-b.Y
	b.Confidence += (w.Confidence - b.Confidence) / float64(n)
	if sameLine {
		b.Text += " " + w.Text
	} else {
		b.Text += "\n" + w.Text
	}
}

func (a *ai) reader(engine string, key value.Credential) (reader, error) {
	chosen, w, err := a.choose(seeing(), engine, key)
	switch {
	case err != nil:
		return nil, err
	case chosen == "api":
		return apiReader{a, w}, nil
	case chosen == "command":
		return commandReader{a, w}, nil
	}
	return tesseract{a}, nil
}

func (a *ai) reading() node.Node {
	return asking("media.ocr", "Read picture", func(ctx context.Context, in readIn) (readOut, error) {
		languages := strings.Split(in.Language, "+")
		for _, l := range languages {
			if !isLanguage(l) || len(languages) > 10 {
				return readOut{}, refused("language is a code such as en, or up to ten of them as en+de")
			}
		}
		r, err := a.reader(in.Engine, keyOf(in.Credential))
		if err != nil {
			return readOut{}, err
		}
		picture, err := a.seen(ctx, in.Image, "png", 0)
		if err != nil {
			return readOut{}, err
		}
		return r.read(ctx, picture, languages, in.Level)
	}).Aliases("text recognition, scan, tesseract", "texterkennung, bild lesen").Doc(
		"Tells what is written in a picture, and where.\n\nExample: `language` = `en+de`, `level` = `word`.\n\n" +
			"On the machine itself tesseract reads, which is good at print and weak at handwriting and photos. An API tells no places.")
}

// seen returns a picture re-encoded for an engine. If width is more than 0, wider pictures
// are scaled down to it.
func (a *ai) seen(ctx context.Context, m value.Media, format string, width int) ([]byte, error) {
	r, err := a.RecipeOf(ctx, m)
	if err == nil && width > 0 && r.Facts.Width > width {
		height := max(2, r.Facts.Height*width/r.Facts.Width)
		r, err = media.Then(media.Step{
			Op: "resize", Numbers: map[string]float64{"width": float64(width), "height": float64(height)},
			Words: map[string]string{"fit": "stretch", "background": "#000000"},
		}, r)
	}
	if err != nil {
		return nil, err
	}
	return a.Rewrite(ctx, &r, media.Target{Format: format, Quality: 85, Strip: true})
}

// look asks the API a question about a picture.
func (a *ai) look(ctx context.Context, w way, picture []byte, mime, question string) (string, error) {
	answer, _, err := a.post(ctx, w, "/chat/completions", map[string]any{
		"model": a.model(vision()),
		"messages": []any{map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": question},
			map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(picture)}},
		}}},
	})
	if err != nil {
		return "", err
	}
	var said struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := understand(answer, "the API", &said); err != nil {
		return "", err
	}
	if len(said.Choices) == 0 {
		return "", node.Errorf(node.CodeFailed, "the API has not said anything")
	}
	return clean(said.Choices[0].Message.Content), nil
}

type describeIn struct {
	Image      value.Media       `port:"image,deferred" media:"image" doc:"The picture."`
	Prompt     string            `port:"prompt" default:"Describe the picture in one sentence." doc:"What to tell of it."`
	MaxWords   int               `port:"max_words" default:"60" doc:"In how many words at most."`
	Credential *value.Credential `port:"credential,optional" network:"mediaai" doc:"The key of the API, such as mediaai:main."`
}

type describeOut struct {
	Text   string `port:"text" doc:"What it shows."`
	Engine string `port:"engine" doc:"Who told it."`
}

func (a *ai) describing() node.Node {
	return asking("media.describe_image", "Describe picture", func(ctx context.Context, in describeIn) (describeOut, error) {
		if in.MaxWords < 1 || in.MaxWords > 5000 || len(in.Prompt) > 10_000 {
			return describeOut{}, refused("max_words is from 1 to 5000, and prompt has at most 10000 bytes")
		}
		_, w, err := a.choose(vision(), "api", keyOf(in.Credential))
		if err != nil {
			return describeOut{}, err
		}
		picture, err := a.seen(ctx, in.Image, "jpeg", 1568)
		if err != nil {
			return describeOut{}, err
		}
		text, err := a.look(ctx, w, picture, "image/jpeg", fmt.Sprintf("%s\nAnswer in at most %d words.", in.Prompt, in.MaxWords))
		return describeOut{text, "api"}, err
	}).Aliases("alt text, caption image, vision", "bild beschreiben, alternativtext").Doc(
		"Tells what a picture shows, by the API that the operator has configured.\n\nExample: `prompt` = `Write an alternative text.`")
}
