package media

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Rendition is one of several files that are made from a video at once.
type Rendition struct {
	Width, Height int
	To            Target
	Name          string // of the file
	// Playlist is the name of the HLS playlist of the file's segments; "" makes a file
	// without a playlist.
	Playlist string
}

// Renditions makes several files from a video, which is decoded and filtered once. part is
// the length of a playlist's segments in seconds.
func (t *Tools) Renditions(ctx context.Context, r *Recipe, all []Rendition, part float64) ([]Result, error) {
	if err := t.configured(); err != nil {
		return nil, err
	}
	c, err := Plan(r, all[0].To)
	if err != nil {
		return nil, err
	}
	if err := t.supports(c, r, all[0].To); err != nil {
		return nil, err
	}
	args := t.fork(c, r, all, part)
	var made []Result
	err = t.produce(ctx, c, r, args, func(d *desk) error {
		for i := range all {
			size, err := t.keepAs(ctx, d, fmt.Sprintf("v%d.mp4", i), all[i].Name)
			if err == nil && all[i].Playlist != "" {
				err = t.keepList(ctx, d, i, &all[i])
			}
			if err != nil {
				return err
			}
			f := c.Facts
			f.Width, f.Height = all[i].Width, all[i].Height
			made = append(made, result(all[i].Name, all[i].To, f, size))
		}
		return nil
	})
	return made, err
}

// fork splits the result of a command, and returns the options that write each rendition.
func (t *Tools) fork(c *Command, r *Recipe, all []Rendition, part float64) (args []string) {
	var split, scaled strings.Builder
	for i := range all {
		fmt.Fprintf(&split, "[p%d]", i)
		fmt.Fprintf(&scaled, ";[p%d]%s[r%d]", i, strings.Join(scale("scale", all[i].Width, all[i].Height), ","), i)
	}
	c.behind("split=" + strconv.Itoa(len(all)) + split.String() + scaled.String())
	sounds := slices.Repeat([]string{c.Sound}, len(all))
	if strings.HasPrefix(c.Sound, "[") { // an output of the graph can be used once only
		c.Graph += ";" + c.Sound + "asplit=" + strconv.Itoa(len(all))
		for i := range all {
			sounds[i] = fmt.Sprintf("[a%d]", i)
			c.Graph += sounds[i]
		}
	}
	for i := range all {
		one := *c
		one.Picture, one.Sound = fmt.Sprintf("[r%d]", i), sounds[i]
		options := all[i].To.Options(&one, r, t.threads)
		if all[i].Playlist == "" {
			args = append(append(args, options...), fmt.Sprintf("v%d.mp4", i))
			continue
		}
		options = options[:len(options)-len(all[i].To.muxer())]
		args = append(append(args, options...), "-force_key_frames", "expr:gte(t,n_forced*"+micro(part)+")", "-f", "hls", "-hls_time", micro(part),
			"-hls_playlist_type", "vod", "-hls_segment_type", "fmp4", "-hls_flags", "single_file", "-hls_segment_filename", fmt.Sprintf("v%d.mp4", i), fmt.Sprintf("v%d.m3u8", i))
	}
	return args
}

// keepList stores a playlist under its name, with the final name of its file.
func (t *Tools) keepList(ctx context.Context, d *desk, i int, r *Rendition) error {
	text, err := os.ReadFile(d.path(fmt.Sprintf("v%d.m3u8", i)))
	if err != nil {
		return err
	}
	return t.save(ctx, r.Playlist, strings.NewReader(strings.ReplaceAll(string(text), fmt.Sprintf("v%d.mp4", i), path.Base(r.Name))))
}

// Playlist writes the master playlist of renditions.
func (t *Tools) Playlist(ctx context.Context, name string, all []Rendition, made []Result) error {
	var b strings.Builder
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:7\n")
	for i := range made {
		bits := int(float64(made[i].Size*8) / max(0.001, made[i].Facts.Duration))
		fmt.Fprintf(&b, "#EXT-X-STREAM-INF:BANDWIDTH=%d,RESOLUTION=%dx%d\n%s\n", bits, all[i].Width, all[i].Height, path.Base(all[i].Playlist))
	}
	return t.save(ctx, name, strings.NewReader(b.String()))
}
