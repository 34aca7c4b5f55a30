package poster

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// endings are the extensions of files that players and viewers open. Other files that a
// workflow calls media might be executed when opened.
func endings() []string {
	return []string{
		"mp4", "mov", "m4v", "mkv", "webm", "avi", "mp3", "m4a", "aac", "wav", "flac", "ogg", "opus", "aiff", "png", "jpg", "jpeg", "gif", "webp", "avif",
	}
}

// CanOpen reports whether media is a file that may be opened.
func CanOpen(m value.Media) bool { return m.Path != "" && endingOf(m.Path) != "" }

func endingOf(name string) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	if slices.Contains(endings(), ending) {
		return ending
	}
	return ""
}

// Fetch copies a media file into a folder of this computer, for another program to open, and
// returns its path. Only the extension of its name comes from the workflow.
func Fetch(ctx context.Context, at Host, m value.Media, folder string) (name string, err error) {
	return fetch(ctx, at, m, folder, math.MaxInt)
}

// fetch is Fetch with a limit in bytes.
func fetch(ctx context.Context, at Host, m value.Media, folder string, most int) (name string, err error) {
	if !CanOpen(m) {
		return "", errKind
	}
	f, err := os.CreateTemp(folder, "media-*."+endingOf(m.Path))
	if err != nil {
		return "", err
	}
	err = at.Read(ctx, m.Path, &bounded{to: f, room: most})
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		return f.Name(), nil
	}
	_ = os.Remove(f.Name()) // it is incomplete
	if errors.Is(err, ErrFull) {
		return "", errBig
	}
	return "", cmp.Or(ctx.Err(), error(errGone))
}
