package media

import (
	"fmt"
	"math"
	"strings"
)

// grid is the number of audio samples in a block. Sound is cut between blocks.
const grid = 64

// keepFacts returns the facts of a clip of which only some spans are kept, in order. The
// parts in between are left out, or played fast.
func keepFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind == "image" {
		return f, refused("a picture has no time to cut out of; give a video or a sound")
	}
	if len(s.Spans) == 0 && s.n("speed") == 0 {
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

// piece is a range of audio blocks or video frames, of which out are used: all, or evenly
// spread ones.
type piece struct{ from, to, out int }

// part is a span of a clip that is played at a speed.
type part struct {
	Span

	speed float64
}

// parts returns the parts of a clip that are played, given the duration of the clip.
func parts(s *Step, duration float64) (all []part) {
	between := func(from, to float64) {
		if v := s.n("speed"); v > 0 && to > from {
			all = append(all, part{Span{Start: from, End: to}, v})
		}
	}
	at := 0.0
	for _, p := range s.Spans {
		between(at, p.Start)
		at = min(p.End, duration)
		all = append(all, part{Span{Start: p.Start, End: at}, 1})
	}
	between(at, duration)
	return all
}

// cuts plans the cuts of sound and picture together. Each piece of picture begins and ends
// at the frame that is nearest to the sound's position in the result, so that rounding
// errors do not add up.
func cuts(s *Step, f Facts) (sound, pictures []piece) {
	blocks := float64(f.Samples) / grid
	soFar, frames := 0, 0
	for _, p := range parts(s, f.Duration) {
		from, to := int(math.Round(p.Start*blocks)), int(math.Round(p.End*blocks))
		if to <= from {
			continue
		}
		here := float64(soFar) / blocks
		out := int(math.Round(float64(to-from) / p.speed))
		sound = append(sound, ends(from, to, out)...)
		soFar += out
		if f.Kind != "video" {
			continue
		}
		first := f.frame(float64(from)/blocks + (f.at(frames)-here)*p.speed)
		if n := len(pictures); n > 0 {
			first = max(first, pictures[n-1].to)
		}
		n := f.frame(float64(soFar)/blocks) - frames
		last := first + n
		if p.speed > 1 { // up to the beginning of the next piece
			last = f.frame(float64(to)/blocks + f.at(frames+n) - float64(soFar)/blocks)
		}
		last = min(last, f.Frames())
		if n = min(n, last-first); n > 0 {
			pictures = append(pictures, piece{first, last, n})
			frames += n
		}
	}
	return sound, pictures
}

// ends returns the pieces of a sound to play: all of it, or its beginning and its end, so
// that the cut is far from the neighbouring sounds.
func ends(from, to, out int) []piece {
	if out >= to-from {
		return []piece{{from, to, to - from}}
	}
	var all []piece
	if n := out / 2; n > 0 {
		all = append(all, piece{from, from + n, n})
	}
	if n := out - out/2; n > 0 {
		all = append(all, piece{to - n, to, n})
	}
	return all
}

func total(pieces []piece) (n int) {
	for _, p := range pieces {
		n += p.out
	}
	return n
}

// within writes the condition that n is in one of the pieces, as a binary tree, so that few
// comparisons are evaluated for each n.
func within(b *strings.Builder, pieces []piece) {
	if len(pieces) == 1 {
		p := pieces[0]
		fmt.Fprintf(b, `gte(n\,%d)*lt(n\,%d)`, p.from, p.to)
		if all := p.to - p.from; p.out < all { // those at which the count of used frames increases
			fmt.Fprintf(b, `*gt(floor((n-%d)*%d/%d)\,floor((n-%d)*%d/%d))`, p.from, p.out, all, p.from+1, p.out, all)
		}
		return
	}
	middle := len(pieces) / 2
	fmt.Fprintf(b, `if(lt(n\,%d)\,`, pieces[middle].from)
	within(b, pieces[:middle])
	b.WriteString(`\,`)
	within(b, pieces[middle:])
	b.WriteString(")")
}

func (b *builder) pieces(s *Step) (sound, pictures []piece) {
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
