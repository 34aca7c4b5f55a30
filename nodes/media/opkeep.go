package media

import (
	"fmt"
	"math"
	"strings"
)

// grid is how many samples of sound are kept or left out together.
const grid = 64

// keepFacts are those of a clip of which some spans are kept, in their order.
func keepFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind == "image" {
		return f, refused("a picture has no time to cut out of; give a video or a sound")
	}
	if len(s.Spans) == 0 {
		return f, refused("nothing would be left of it")
	}
	for i := range s.Spans {
		p := s.Spans[i]
		if p.End <= p.Start || p.Start >= f.Duration || i > 0 && p.Start < s.Spans[i-1].End {
			return f, malformed("the parts to keep overlap or lie outside")
		}
	}
	f.Samples = samples(f)
	sound, pictures := cuts(s, f)
	if f.Kind == "video" {
		f.Duration = f.at(max(1, total(pictures)))
		f.Lasting = 0
		return f, nil
	}
	f.Duration = float64(total(sound)*grid) / float64(f.Samples)
	return f, nil
}

// cuts plans the cuts of sound and picture together: which blocks of samples and which frames
// are kept. Each piece of picture begins and ends with the frame that is nearest to where
// the sound is then, all pieces before it counted, so that nothing adds up.
func cuts(s *Step, f Facts) (sound, pictures [][2]int) {
	blocks := float64(f.Samples) / grid
	soFar, frames := 0, 0
	for _, p := range s.Spans {
		from, to := int(math.Round(p.Start*blocks)), int(math.Round(min(p.End, f.Duration)*blocks))
		if to <= from {
			continue
		}
		sound = append(sound, [2]int{from, to})
		if f.Kind != "video" {
			continue
		}
		here := float64(soFar) / blocks
		soFar += to - from
		first := f.frame(float64(from)/blocks + f.at(frames) - here)
		if n := len(pictures); n > 0 {
			first = max(first, pictures[n-1][1])
		}
		n := f.frame(float64(soFar)/blocks) - frames
		if n = min(n, f.Frames()-first); n > 0 {
			pictures = append(pictures, [2]int{first, first + n})
			frames += n
		}
	}
	return sound, pictures
}

func total(pieces [][2]int) (n int) {
	for _, p := range pieces {
		n += p[1] - p[0]
	}
	return n
}

// within returns the condition that n lies in one of the pieces, as a tree, so that few
// comparisons are made for each n.
func within(b *strings.Builder, pieces [][2]int) {
	if len(pieces) == 1 {
		fmt.Fprintf(b, `gte(n\,%d)*lt(n\,%d)`, pieces[0][0], pieces[0][1])
		return
	}
	middle := len(pieces) / 2
	fmt.Fprintf(b, `if(lt(n\,%d)\,`, pieces[middle][0])
	within(b, pieces[:middle])
	b.WriteString(`\,`)
	within(b, pieces[middle:])
	b.WriteString(")")
}

func (b *builder) pieces(s *Step) (sound, pictures [][2]int) {
	f := b.facts.of(s.In[0])
	f.Samples = samples(f)
	return cuts(s, f)
}

func keepPicture(b *builder, s *Step, out Facts) stream {
	_, pictures := b.pieces(s)
	var when strings.Builder
	within(&when, pictures)
	return b.picture(s.In[0]).then("fps="+out.Rate.String(), b.named("select", s)+"="+when.String(), "setpts=N/("+out.Rate.String()+")/TB")
}

func keepSound(b *builder, s *Step, out Facts) stream {
	sound, _ := b.pieces(s)
	var when strings.Builder
	within(&when, sound)
	return b.sound(s.In[0]).then(fmt.Sprintf("aresample=%d", out.Samples), fmt.Sprintf("asetnsamples=n=%d:p=0", grid), b.named("aselect", s)+"="+when.String(),
		"asetpts=N/SR/TB", "apad", "atrim=end="+micro(out.Duration))
}
