package preview

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

func imageNode() node.Node {
	spec := node.Spec{
		Type:    "preview.image",
		Label:   "Image",
		Aliases: node.Words("picture, photo, show image", "bild, foto, anzeigen"),
		Example: &node.Example{Config: map[string]any{"source": "https://example.com/picture.png"}},
		Description: "Shows a picture and passes its source on unchanged.\n\n" +
			"`photos/ada.png`, `https://example.com/ada.png`, `data:image/png;base64,…` or a media value with the kind image. " +
			"Pictures may be PNG, JPEG, GIF or WebP; SVG is refused, since it can carry scripts.",
		Inputs:  []node.Port{{Name: "source", Type: value.Any(), Description: "The picture: a media value, a path, a URL or a data URI of at most 10 MiB."}},
		Outputs: []node.Port{{Name: "source", Type: value.Any(), Description: "The same source."}},
		Pure:    true,
		Inline:  true,
		Shows:   node.Shows{Port: "source", Kind: view.Picture},
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, passImage)}
}

func passImage(_ context.Context, in, out []any) error {
	if _, err := view.PictureOf(in[0]); err != nil {
		return node.Errorf(node.CodeInvalidInput, "source: %w", err)
	}
	out[0] = in[0]
	return nil
}
