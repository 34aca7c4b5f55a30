package valueview

import (
	"context"
	"errors"
	"image"
	"io"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
)

// pictureView shows a picture, or why it cannot.
type pictureView struct {
	open    func(path string) (io.ReadCloser, error)
	loading *job.Latest
	image   *canvas.Image
	note    *kit.Text
	source  *kit.Text
	whole   *fyne.Container
}

func newPictureView(jobs *job.Runner, open func(path string) (io.ReadCloser, error)) *pictureView {
	p := &pictureView{
		open: open, loading: jobs.Latest(0), image: &canvas.Image{FillMode: canvas.ImageFillContain},
		note:   kit.NewText("", kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter, Cut: true}),
		source: kit.NewText("", kit.Style{Size: MonoSize, Ink: kit.Dim, Mono: true, Cut: true, Align: fyne.TextAlignCenter}),
	}
	p.whole = container.NewBorder(nil, p.source, nil, nil, container.NewStack(p.image, p.note))
	return p
}

func (p *pictureView) object() fyne.CanvasObject { return p.whole }

// show loads the picture that v names on a goroutine of its own.
func (p *pictureView) show(v any) {
	source, _ := pictureOf(v)
	p.say(lang.L("Loading …"))
	p.source.SetText(nameOf(source))
	open := p.open
	p.loading.Now(func(ctx context.Context) func() {
		picture, err := loadPicture(ctx, source, open)
		return func() { p.take(source, picture, err) }
	})
}

// take shows a picture, or why there is none.
func (p *pictureView) take(source string, picture image.Image, err error) {
	if why, ok := errors.AsType[trouble](err); ok {
		p.say(lang.L(string(why)))
		return
	}
	if err != nil {
		return // nobody waits for it any more
	}
	p.image.Image = picture
	p.image.Show()
	p.note.Hide()
	size := picture.Bounds().Size()
	p.source.SetText(strconv.Itoa(size.X) + " × " + strconv.Itoa(size.Y) + " · " + nameOf(source))
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

// hide gives up loading and lets the picture go.
func (p *pictureView) hide() {
	p.loading.Stop()
	p.image.Image = nil
}

// nameOf returns what is shown of the place of a picture.
func nameOf(source string) string {
	if strings.HasPrefix(source, "data:") {
		head, _, _ := strings.Cut(source, ";")
		return oneLine(strings.TrimPrefix(head, "data:"))
	}
	return oneLine(source)
}
