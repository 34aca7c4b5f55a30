package mediaai

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/media"
)

type styleIn struct {
	FontFamily       string  `port:"font_family" default:"Arial" doc:"The name of a font of the server."`
	FontSize         int     `port:"font_size" default:"42" doc:"The size of the letters in pixels."`
	TextColor        string  `port:"text_color" default:"#FFFFFF" widget:"color" doc:"The colour of the letters."`
	BackgroundColor  *string `port:"background_color,optional" widget:"color" doc:"The colour of a box behind them; without one there is none."`
	OutlineColor     string  `port:"outline_color" default:"#000000" widget:"color" doc:"The colour of their edge."`
	OutlineWidth     int     `port:"outline_width" default:"2" doc:"How wide the edge is in pixels."`
	Shadow           int     `port:"shadow" default:"0" doc:"How far their shadow is away, in pixels."`
	Bold             bool    `port:"bold" default:"true" doc:"Whether they are bold."`
	Italic           bool    `port:"italic" default:"false" doc:"Whether they are slanted."`
	Alignment        string  `port:"alignment" enum:"BottomLeft|BottomCenter|BottomRight|MiddleLeft|MiddleCenter|MiddleRight|TopLeft|TopCenter|TopRight" default:"BottomCenter" doc:"Where they stand."`
	MarginHorizontal int     `port:"margin_horizontal" default:"40" doc:"How many pixels from the sides."`
	MarginVertical   int     `port:"margin_vertical" default:"60" doc:"How many pixels from the top or the bottom."`
}

type styleOut struct {
	StyleConfig media.Style `port:"style_config" doc:"For media.caption_overlay and media.subtitles_write."`
}

func captionStyle() node.Node {
	return node.Func("media.caption_style", "Caption style", func(_ context.Context, in styleIn) (styleOut, error) {
		return styleOut{media.Style(in)}, nil
	}).Pure().Inline().Aliases("subtitle font, colour of captions", "stil der untertitel, schrift").Doc(
		"Says what captions look like.\n\nExample: `font_size` = `56`, `background_color` = `#000000A0`.")
}

type promptIn struct {
	Prompt         any    `port:"prompt" doc:"What is to be seen: a text, or anything else as JSON."`
	Topic          string `port:"topic" default:"" doc:"What it is about."`
	VisualStyle    string `port:"visual_style" default:"" doc:"In which style, such as watercolour."`
	CameraMove     string `port:"camera_move" default:"" doc:"How the camera moves."`
	Framing        string `port:"framing" default:"vertical 9:16 composition" doc:"How it is framed."`
	Lighting       string `port:"lighting" default:"cinematic lighting" doc:"How it is lit."`
	Details        string `port:"details" default:"high detail, clean subject separation" doc:"What else counts."`
	NegativePrompt string `port:"negative_prompt" default:"blurry, low quality, cropped, watermark" doc:"What is not to be seen."`
	Suffix         string `port:"suffix" default:"vertical, cinematic, highly detailed" doc:"What stands at the end."`
}

type promptOut struct {
	Prompt         string `port:"prompt" doc:"All of it, for a model that makes pictures."`
	NegativePrompt string `port:"negative_prompt" doc:"What is not to be seen."`
}

func promptEnhance() node.Node {
	return node.Func("media.prompt_enhance", "Enhance prompt", func(_ context.Context, in promptIn) (promptOut, error) {
		prompt, isText := in.Prompt.(string)
		if !isText && in.Prompt != nil {
			text, err := json.Marshal(in.Prompt, json.Deterministic(true))
			if err != nil {
				return promptOut{}, refused("prompt cannot be written as a text")
			}
			prompt = string(text)
		}
		var parts []string
		for _, part := range []string{prompt, in.Topic, in.VisualStyle, in.CameraMove, in.Framing, in.Lighting, in.Details, in.Suffix} {
			if part = strings.Trim(strings.TrimSpace(part), ","); part != "" {
				parts = append(parts, part)
			}
		}
		return promptOut{strings.Join(parts, ", "), strings.TrimSpace(in.NegativePrompt)}, nil
	}).Pure().Inline().Aliases("image prompt, style words", "prompt verbessern").Example(map[string]any{"prompt": "a fox in the snow"}).Doc(
		"Puts a prompt for pictures together from its parts.\n\nExample: `prompt` = `a fox in the snow`, `visual_style` = `watercolour`.")
}
