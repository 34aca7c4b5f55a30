package ionode

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
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

// writeNode returns the node io.file_write.
func (d disk) writeNode() node.Node {
	return node.Func("io.file_write", "Write file", d.write).
		Aliases("save file, store, append", "datei speichern, schreiben, anhängen").
		Example(map[string]any{"path": "notes.txt"}).Doc(
		"Writes a file, all of it or nothing: readers see either the old file or the new one. With `append` the content is " +
			"added to the end.\n\n" +
			"On a server paths are relative to its files folder, else to the working directory.\n\n" +
			"Example: `path` = `reports/today.txt`, `content` = `All is well.`")
}

func (d disk) write(ctx context.Context, in writeIn) (writeOut, error) {
	data := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return writeOut{}, node.Errorf(node.CodeInvalidInput, "the content is not base64; set encoding to utf8 to write it as it is")
		}
	}
	name, err := d.In(ctx).Clean(in.Path)
	if err != nil {
		return writeOut{}, err
	}
	if err := d.Files.MkdirAll(path.Dir(name), 0o755); err != nil {
		return writeOut{}, folder.Failure(path.Dir(name), err)
	}
	store := d.replace
	if in.Append {
		store = d.append
	}
	if err := store(name, data); err != nil {
		return writeOut{}, folder.Failure(name, err)
	}
	return writeOut{Path: name, Bytes: len(data)}, nil
}

func (d disk) append(name string, data []byte) error {
	f, _, err := d.Open(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = d.Files.Writer(f).Write(data)
	return errors.Join(err, f.Close())
}

// replace replaces the file name atomically.
func (d disk) replace(name string, data []byte) error {
	perm, err := d.Permissions(name)
	if err != nil {
		return err
	}
	return durable.Replace(name, data, durable.Options{Perm: perm, In: d.Files})
}
