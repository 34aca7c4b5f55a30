package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type imageOut struct {
	Image value.Media `port:"image" media:"image" doc:"The picture."`
}

type sizedImage struct {
	Image  value.Media `port:"image" media:"image" doc:"The picture."`
	Width  int         `port:"width" doc:"Its width in pixels."`
	Height int         `port:"height" doc:"Its height in pixels."`
}

func seen(m value.Media, f media.Facts, err error) (sizedImage, error) {
	return sizedImage{m, f.Width, f.Height}, err
}

func (c *core) imageImport() node.Node {
	return deferring(c, "media.image_import", "Import picture", "image", func(w work, in importIn) (sizedImage, error) {
		r, err := w.load(in, "image")
		if err != nil {
			return sizedImage{}, err
		}
		return seen(w.give(r))
	}).Aliases("load image, photo, png, jpeg", "bild laden, foto").Example(map[string]any{"path": "photo.jpg"}).Doc(
		"Takes a picture from a file, or from the web, upright, however the camera was held.\n\nExample: `path` = `photo.jpg`.")
}

type imageResizeIn struct {
	Image      value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	Width      int         `port:"width" default:"1280" doc:"The new width in pixels; 0 keeps the shape."`
	Height     int         `port:"height" default:"720" doc:"The new height in pixels; 0 keeps the shape."`
	Fit        string      `port:"fit" enum:"contain|cover|stretch" default:"stretch" doc:"If the shape is another one: contain puts bars around it, cover cuts off what is outside, stretch distorts."`
	Background string      `port:"background" default:"#00000000" widget:"color" doc:"The colour of the bars."`
}

func (c *core) imageResize() node.Node {
	return deferring(c, "media.image_resize", "Resize picture", "image", func(w work, in imageResizeIn) (sizedImage, error) {
		return seen(w.resize(in.Image, &in.Width, &in.Height, in.Fit, in.Background))
	}).Aliases("scale, thumbnail, smaller", "größe, verkleinern").Doc("Makes a picture bigger or smaller.\n\nExample: `width` = `640`, `height` = `0`.")
}

type imageCropIn struct {
	Image  value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	X      int         `port:"x" default:"0" doc:"How many pixels to leave out on the left."`
	Y      int         `port:"y" default:"0" doc:"How many pixels to leave out at the top."`
	Width  int         `port:"width" default:"640" doc:"The width of the part to keep."`
	Height int         `port:"height" default:"480" doc:"The height of the part to keep."`
}

func (c *core) imageCrop() node.Node {
	return deferring(c, "media.image_crop", "Crop picture", "image", func(w work, in imageCropIn) (sizedImage, error) {
		return seen(w.then(cropStep(in.X, in.Y, in.Width, in.Height), in.Image))
	}).Aliases("cut out, region", "zuschneiden, ausschnitt").Doc("Keeps a part of a picture.\n\nExample: `width` = `100`, `height` = `100`.")
}

type flipIn struct {
	Image     value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	Direction string      `port:"direction" enum:"horizontal|vertical" default:"horizontal" doc:"Left and right, or top and bottom."`
}

func (c *core) imageFlip() node.Node {
	return deferring(c, "media.image_flip", "Flip picture", "image", func(w work, in flipIn) (sizedImage, error) {
		return seen(w.then(rotateStep("0", in.Direction), in.Image))
	}).Aliases("mirror", "spiegeln").Doc("Mirrors a picture.\n\nExample: `direction` = `vertical`.")
}

type imageRotateIn struct {
	Image value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	Turn  string      `port:"turn" enum:"0|90|180|270" default:"90" doc:"By how many degrees, clockwise."`
	Flip  string      `port:"flip" enum:"none|horizontal|vertical" default:"none" doc:"Whether to mirror it after that."`
}

func (c *core) imageRotate() node.Node {
	return deferring(c, "media.image_rotate", "Rotate picture", "image", func(w work, in imageRotateIn) (sizedImage, error) {
		return seen(w.then(rotateStep(in.Turn, in.Flip), in.Image))
	}).Aliases("turn", "drehen").Doc("Turns a picture, and mirrors it.\n\nExample: `turn` = `180`.")
}

type imageAdjustIn struct {
	Image value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	adjustments
}

func (c *core) imageAdjust() node.Node {
	return deferring(c, "media.image_adjust", "Adjust picture", "image", func(w work, in imageAdjustIn) (imageOut, error) {
		m, _, err := w.then(in.step(0), in.Image)
		return imageOut{m}, err
	}).Aliases("brightness, contrast, colour, filter, blur", "helligkeit, kontrast, farbe").Doc("Changes brightness, contrast and colours of a picture.\n\nExample: `grayscale` = `true`.")
}

type imageTextIn struct {
	Image value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	lettering
}

func (c *core) imageText() node.Node {
	return deferring(c, "media.image_text", "Write on picture", "image", func(w work, in imageTextIn) (imageOut, error) {
		m, _, err := w.then(in.step(0, 0), in.Image)
		return imageOut{m}, err
	}).Aliases("title, caption, meme", "titel, beschriften").Doc("Writes a text on a picture.\n\nExample: `text` = `Hello`, `position` = `center`.")
}

type imageOverIn struct {
	Image value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	marking
}

func (c *core) imageOverlay() node.Node {
	return deferring(c, "media.image_overlay", "Picture on picture", "image", func(w work, in imageOverIn) (imageOut, error) {
		m, err := w.mark(in.Image, in.marking)
		return imageOut{m}, err
	}).Aliases("watermark, logo, stamp", "wasserzeichen, logo").Doc("Puts a picture over another one.\n\nExample: `position` = `top_right`, `width` = `100`.")
}

type imageEncodeIn struct {
	Image      value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	OutputPath string      `port:"output_path" default:"" widget:"file" doc:"The file. Empty: one that is kept with the run."`
	Format     string      `port:"format" enum:"auto|png|jpeg|webp|avif" default:"auto" doc:"auto goes by the ending of the file, else it is png."`
	Quality    int         `port:"quality" default:"85" doc:"From 1 to 100; png loses nothing."`
	Metadata   string      `port:"metadata" enum:"keep|strip" default:"strip" doc:"Whether to keep what the file tells of itself. Where and with what it was taken is never kept."`
}

type imageEncodeOut struct {
	FilePath  string      `port:"file_path" doc:"The file, as the file nodes take it."`
	SizeBytes int         `port:"size_bytes" doc:"How big it is."`
	Image     value.Media `port:"image" media:"image" doc:"The picture in the file."`
}

func (c *core) imageEncode() node.Node {
	return rendering(c, "media.image_encode", "Encode picture", func(w work, in imageEncodeIn) (imageEncodeOut, error) {
		r, err := w.recipe(in.Image)
		if err != nil {
			return imageEncodeOut{}, err
		}
		to := media.Target{Format: in.Format, Quality: in.Quality, Strip: in.Metadata == "strip"}
		if in.Format == "auto" {
			to.Format = "png"
			if in.OutputPath != "" {
				to.Format = media.FormatOf(in.OutputPath, "image")
			}
		}
		switch {
		case to.Format == "":
			return imageEncodeOut{}, node.Errorf(node.CodeInvalidInput, "output_path has to end with .png, .jpg, .webp or .avif, which says the format")
		case in.Quality < 1 || in.Quality > 100:
			return imageEncodeOut{}, node.Errorf(node.CodeInvalidInput, "quality is from 1 to 100")
		}
		name, err := w.Place(w.ctx, in.OutputPath, to.Format)
		if err != nil {
			return imageEncodeOut{}, err
		}
		made, err := w.Render(w.ctx, &r, to, name)
		return imageEncodeOut{made.Path, int(made.Size), made.Media}, err
	}).Aliases("export image, save picture, convert, png, jpeg, webp", "bild speichern, umwandeln").Doc("Writes a picture into a file.\n\nExample: `output_path` = `small.jpg`, `quality` = `70`.")
}
