// Package media makes files of moving and still pictures and of sound, for the plugins whose
// nodes work with them. It is shared by these and imports none.
//
// What a chain of nodes asks for is a [Recipe]: sources and typed steps, as data. A recipe
// becomes one command of ffmpeg ([Plan]) as late as possible, so that a picture is decoded
// and encoded once, however many nodes change it. [Tools] runs ffmpeg and ffprobe: they get
// their files as descriptors that were opened under the rules of the file nodes, read
// nothing but a list of known formats, speak to nobody, and are bounded.
//
// Nothing that somebody wrote becomes part of a filter or an argument: numbers and colours
// are parsed and printed again, choices are looked up, and texts go into files.
package media
