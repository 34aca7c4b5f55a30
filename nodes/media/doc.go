// Package media makes video, picture and sound files for the plugins with media nodes, which
// share it. It imports none of them.
//
// A chain of nodes builds a [Recipe]: sources and typed steps, as data. A recipe becomes one
// command of ffmpeg ([Plan]) as late as possible, so that a picture is decoded and encoded
// once, however many nodes change it. [Tools] runs ffmpeg and ffprobe. These get their files
// as descriptors that were opened under the rules of the file nodes, read only known formats,
// have no network, and run with limits.
//
// No text from a workflow becomes part of a filter or an argument, so nothing can be injected:
// numbers and colours are parsed and printed again, choices are looked up, and texts go into
// files.
package media
