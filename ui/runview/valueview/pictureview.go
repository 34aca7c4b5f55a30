package valueview

import (
	"context"
	"image"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/wording"
)

// pictureView shows a picture, or an error, with a line about it.
type pictureView struct {
	place   func() poster.Host
	load    func(ctx context.Context, at poster.Host, v any) (picture image.Image, about string, err error)
	name    func(v any) string // returns the text shown until it has loaded
	loading *job.Latest
	image   *canvas.Image
	note    *kit.Text
	source  *kit.Text
	whole   *fyne.Container
}

// newPictureView returns a view of pictures.
func newPictureView(jobs *job.Runner, place func() poster.Host) *pictureView {
	p := emptyPictureView(jobs, place)
	p.name = func(v any) string {
		source, _ := pictureOf(v)
		return nameOf(source)
	}
	p.load = func(ctx context.Context, at poster.Host, v any) (image.Image, string, error) {
		source, _ := pictureOf(v)
		picture, err := loadPicture(ctx, source, at)
		if err != nil {
			return nil, "", err
		}
		size := picture.Bounds().Size()
		return picture, strconv.Itoa(size.X) + " × " + strconv.Itoa(size.Y) + " · " + nameOf(source), nil
	}
	return p
}

// newMediaView returns a view of the previews of videos and sounds.
func newMediaView(jobs *job.Runner, place func() poster.Host) *pictureView {
	p := emptyPictureView(jobs, place)
	p.name = func(v any) string { return nameOf(view.Of(v, view.Wish{Kind: view.Media}).Media.Path) }
	p.load = func(ctx context.Context, at poster.Host, v any) (image.Image, string, error) {
		m := view.Of(v, view.Wish{Kind: view.Media}).Media
		made, err := poster.Make(ctx, at, m)
		return made.Picture, made.Facts + " · " + nameOf(m.Path), err
	}
	return p
}

func emptyPictureView(jobs *job.Runner, place func() poster.Host) *pictureView {
	p := &pictureView{
		place:   place,
		loading: jobs.Latest(0), image: &canvas.Image{FillMode: canvas.ImageFillContain},
		note:   kit.NewText("", kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter, Cut: true}),
		source: kit.NewText("", kit.Style{Size: MonoSize, Ink: kit.Dim, Mono: true, Cut: true, Align: fyne.TextAlignCenter}),
	}
	p.whole = container.NewBorder(nil, p.source, nil, nil, container.NewStack(p.image, p.note))
	return p
}

func (p *pictureView) object() fyne.CanvasObject { return p.whole }

// show loads the picture of v in the background.
func (p *pictureView) show(v any) {
	p.say(lang.L("Loading …"))
	p.source.SetText(p.name(v))
	at := p.place()
	p.loading.Now(func(ctx context.Context) func() {
		picture, about, err := p.load(ctx, at, v)
		return func() { p.take(ctx, picture, about, err) }
	})
}

// take shows a loaded picture, or the error.
func (p *pictureView) take(ctx context.Context, picture image.Image, about string, err error) {
	switch {
	case ctx.Err() != nil:
		return // another value is shown by now
	case err != nil:
		p.say(wording.Of(err.Error()))
		return
	}
	p.source.SetText(about)
	if picture == nil {
		p.say(lang.L("There is no picture of it."))
		return
	}
	p.image.Image = picture
	p.image.Show()
	p.note.Hide()
	p.whole.Refresh()
}

// say shows a sentence instead of a picture.
func (p *pictureView) say(text string) {
	p.image.Image = nil
	p.image.Hide()
	p.note.SetText(text)
	p.note.Show()
	p.whole.Refresh()
}

// hide cancels loading and releases the picture.
func (p *pictureView) hide() {
	p.loading.Stop()
	p.image.Image = nil
}

// nameOf returns the text for the source of a picture.
func nameOf(source string) string {
	if strings.HasPrefix(source, "data:") {
		head, _, _ := strings.Cut(source, ";")
		return oneLine(strings.TrimPrefix(head, "data:"))
	}
	return oneLine(source)
}
