package ionode

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/folder"
)

type writeIn struct {
	Path     string `port:"path" widget:"file" doc:"The file. Directories that are missing are created."`
	Content  string `port:"content" widget:"multiline" doc:"What to write."`
	Append   bool   `port:"append" default:"false" doc:"Add to the end instead of replacing what is there."`
	Encoding string `port:"encoding" default:"utf-8" doc:"How to encode the text: utf-8, or another name such as windows-1252; base64 writes the bytes that content holds in base64."`
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
	data, err := bytesOf(in.Content, in.Encoding)
	if err != nil {
		return writeOut{}, err
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

// bytesOf returns what to write for content in an encoding.
func bytesOf(content, label string) ([]byte, error) {
	switch label {
	case encodingBase64:
		data, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return nil, permanent(node.CodeInvalidInput, "the content is not base64; set encoding to utf-8 to write it as it is")
		}
		return data, nil
	case "", charset.Auto, encodingText:
		return []byte(content), nil
	}
	e, err := charset.ByLabel(label)
	if err != nil {
		return nil, permanent(node.CodeInvalidInput, "encoding: %w", err)
	}
	data, err := e.Encode(content)
	if err != nil {
		return nil, permanent(node.CodeInvalidInput, "%w; use utf-8", err)
	}
	return data, nil
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
