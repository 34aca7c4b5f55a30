package preview

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

func mediaNode() node.Node {
	spec := node.Spec{
		Type:    "preview.media",
		Label:   "Media",
		Aliases: node.Words("player, play, watch, listen, video, sound", "abspielen, ansehen, anhören, video, ton"),
		Example: &node.Example{Config: map[string]any{"source": map[string]any{"kind": "video", "mime": "video/mp4", "path": "clips/intro.mp4"}}},
		Description: "Shows a video, a sound or a picture and passes it on unchanged.\n\n" +
			"On the run page it is a player for `{\"kind\":\"video\",\"mime\":\"video/mp4\",\"path\":\"clips/intro.mp4\"}`. " +
			"What is still to be made is made for it: chains of steps that lead here end in a file.",
		Inputs:  []node.Port{{Name: "source", Type: value.MediaType(), Description: "What to show."}},
		Outputs: []node.Port{{Name: "source", Type: value.MediaType(), Description: "The same."}},
		Pure:    true,
		Inline:  true,
		Shows:   node.Shows{Port: "source", Kind: view.Media},
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, pass)}
}
