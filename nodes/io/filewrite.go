package ionode

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store/durable"
)

type writeIn struct {
	Path     string `port:"path" widget:"file" doc:"The file. Directories that are missing are created."`
	Content  string `port:"content" widget:"multiline" doc:"What to write."`
	Append   bool   `port:"append" default:"false" doc:"Add to the end instead of replacing what is there."`
	Encoding string `port:"encoding" enum:"utf8|base64" default:"utf8" doc:"utf8 writes the text as it is; base64 writes the bytes it stands for."`
}

type writeOut struct {
	Path  string `port:"path" doc:"The file, as the other file nodes take it."`
	Bytes int    `port:"bytes" doc:"How many bytes were written."`
}

// writeNode is io.file_write.
func (d disk) writeNode() node.Node {
	return node.Func("io.file_write", "Write file", d.write).
		Aliases("save file, store, append", "datei speichern, schreiben, anhängen").
		Example(map[string]any{"path": "notes.txt"}).Doc(
		"Writes a file, all of it or nothing: readers see either the old file or the new one. With `append` the content is " +
			"added to the end.\n\n" +
			"On a server paths are relative to its files folder, else to the working directory.\n\n" +
			"Example: `path` = `reports/today.txt`, `content` = `All is well.`")
}

func (d disk) write(_ context.Context, in writeIn) (writeOut, error) {
	data := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return writeOut{}, node.Errorf(node.CodeInvalidInput, "the content is not base64; set encoding to utf8 to write it as it is")
		}
	}
	name, err := d.clean(in.Path)
	if err != nil {
		return writeOut{}, err
	}
	if err := d.files.MkdirAll(path.Dir(name), 0o755); err != nil {
		return writeOut{}, failure(path.Dir(name), err)
	}
	store := d.replace
	if in.Append {
		store = d.append
	}
	if err := store(name, data); err != nil {
		return writeOut{}, failure(name, err)
	}
	return writeOut{Path: name, Bytes: len(data)}, nil
}

func (d disk) append(name string, data []byte) error {
	f, _, err := d.open(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = d.files.Writer(f).Write(data)
	return errors.Join(err, f.Close())
}

// replace puts a new file in the place of name.
func (d disk) replace(name string, data []byte) error {
	perm, err := d.permissions(name)
	if err != nil {
		return err
	}
	return durable.Replace(name, data, durable.Options{Perm: perm, In: d.files})
}

// permissions returns those of the file that is to be replaced, so that a
// private file stays private, or the usual ones.
func (d disk) permissions(name string) (fs.FileMode, error) {
	info, err := d.files.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0o644, nil
	case err != nil:
		return 0, err
	case !info.Mode().IsRegular():
		return 0, notRegular(name, info)
	}
	return info.Mode().Perm(), nil
}
