// Package mediacore is the plugin "media-core": nodes that cut, edit and join videos,
// pictures and sound. They start no process until a file is needed; see package media.
package mediacore

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/media"
)

// New returns the plugin. Other plugins may share the tools.
func New(tools *media.Tools) node.Plugin {
	c := &core{tools}
	all := slices.Concat(
		drawn(c.videoNodes(), "#2563EB", "film"),
		drawn(c.soundNodes(), "#16A34A", "music"),
		drawn(c.pictureNodes(), "#7C3AED", "image"),
	)
	for i := range all {
		all[i].Spec.Unavailable = tools.Unavailable()
	}
	return plugin{node.Bundle{Name: "media-core", Category: "Media", Card: node.Card{Shape: "card", Color: "#2563EB", Icon: "film"}, Nodes: all}, tools}
}

// plugin is a bundle that also reports the metrics of the shared tools.
type plugin struct {
	node.Bundle

	tools *media.Tools
}

// Figures implements [node.Measured].
func (p plugin) Figures() []node.Figure { return p.tools.Figures() }

func drawn(nodes []node.Node, color, icon string) []node.Node {
	for i := range nodes {
		nodes[i].Spec.Card = node.Card{Shape: "card", Color: color, Icon: icon}
	}
	return nodes
}

func (c *core) videoNodes() []node.Node {
	return []node.Node{
		c.videoImport(), c.videoTrim(), c.videoResize(), c.videoCrop(), c.videoRotate(), c.videoAdjust(), c.videoFade(), c.videoSpeed(), c.videoRate(),
		c.videoText(), c.videoWatermark(), c.videoOverlay(), c.videoCompose(), c.videoSound(), c.videoStitch(), c.videoBlank(), c.sequence(),
		c.videoEncode(), c.thumbnail(), c.render(), c.probe(), c.fileOutput(),
		c.captionOverlay(), c.kenBurns(), c.contactSheet(), c.detectScenes(), c.videoFrames(), c.videoGIF(), c.videoRenditions(),
		c.subtitlesRead(), c.subtitlesWrite(), c.captionsArrange(),
		c.videosList(), c.overlaysList(), c.timingController(), c.syncPoint(), c.pointsList(),
	}
}

func (c *core) soundNodes() []node.Node {
	return []node.Node{
		c.audioImport(), c.audioExtract(), c.audioTrim(), c.audioAdjust(), c.audioMix(), c.audioConcat(), c.audioNormalize(), c.audioEncode(), c.audiosList(),
		c.cutSilence(), c.detectSilence(), c.waveform(),
	}
}

func (c *core) pictureNodes() []node.Node {
	return []node.Node{
		c.imageImport(), c.imageResize(), c.imageCrop(), c.imageFlip(), c.imageRotate(), c.imageAdjust(), c.imageText(), c.imageOverlay(), c.imageEncode(), c.imagesList(),
		c.comparison(),
	}
}
