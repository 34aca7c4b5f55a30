package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	kzip "github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/nodes/reading"
)

// entry is an entry of a test archive.
type entry struct {
	name, text string
	header     func(h *zip.FileHeader)
}

// pack returns an archive. Names are written as they are.
func pack(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zstdZIP, zstd.ZipCompressor())
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, NonUTF8: true}
		h.SetMode(0o644)
		if e.header != nil {
			e.header(h)
		}
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = io.WriteString(w, e.text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func encode(t testing.TB, label, text string) string {
	t.Helper()
	e, err := charset.ByLabel(label)
	require.NoError(t, err)
	data, err := e.Encode(text)
	require.NoError(t, err)
	return string(data)
}

// open opens an archive.
func open(t testing.TB, data []byte) *kzip.Reader {
	t.Helper()
	z, err := Open(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return z
}

// names returns the names of an archive, and how many notes there are.
func names(t testing.TB, data []byte, label string) (all []string, notes int) {
	t.Helper()
	var n reading.Notes
	entries, err := Entries(open(t, data), label, &n)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name)
	}
	return all, len(n.All())
}

func TestNamesAreInTheEncodingThatTheirBytesShow(t *testing.T) {
	for _, c := range []struct {
		encoding string
		names    []string
		noted    int
	}{
		{"cp437", []string{"Übersücht.txt", "größe.csv", "año/corazón.txt", "été à Noël.txt", "Ångström.txt", "naïve.txt"}, 0},
		{"cp437", []string{"für Müller.pdf"}, 0},
		{"cp437", []string{"Äpfel äöü.txt"}, 0},
		{"cp437", []string{"tête-à-tête.txt"}, 0},
		{"shift_jis", []string{"テスト.txt", "フォルダ/報告書.xlsx"}, 1},
		{"shift_jis", []string{"名前.csv"}, 1},
		{"shift_jis", []string{"表示.txt"}, 1}, // 表 ends with a backslash
		{"utf-8", []string{"Übersicht.txt", "日本.txt", "plain.txt"}, 0},
		{"gbk", []string{"中文文件名.txt", "报告/数据.csv", "姓名城市.txt"}, 1},
		{"euc-kr", []string{"이름도시.txt", "한국어문서/보고서.txt"}, 1},
		{"windows-1251", []string{"Отчёт за год.txt", "Документы/Письмо.txt"}, 1},
	} {
		t.Run(c.encoding+" "+c.names[0], func(t *testing.T) {
			var entries []entry
			for _, name := range c.names {
				entries = append(entries, entry{name: encode(t, c.encoding, name)})
			}
			got, noted := names(t, pack(t, entries...), "")
			require.Equal(t, c.names, got)
			require.Equal(t, c.noted, noted)
			got, noted = names(t, pack(t, entries...), c.encoding)
			require.Equal(t, c.names, got)
			require.Zero(t, noted)
		})
	}
	_, err := Entries(open(t, pack(t, entry{name: "\xff"})), "klingon", nil)
	require.ErrorContains(t, err, "klingon")
}

func TestTheUnicodePathWins(t *testing.T) {
	raw := encode(t, "cp437", "Übersücht.txt")
	extra := func(name, of string) func(h *zip.FileHeader) {
		return func(h *zip.FileHeader) {
			field := append([]byte{1}, binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(of)))...)
			field = append(field, name...)
			h.Extra = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16([]byte{1, 0, 2, 0, 9, 9}, 0x7075), uint16(len(field)))
			h.Extra = append(h.Extra, field...)
		}
	}
	got, noted := names(t, pack(t,
		entry{name: raw, header: extra("日本.txt", raw)},
		entry{name: raw, header: extra("of another name.txt", "x")},
		entry{name: raw, header: func(h *zip.FileHeader) { h.Extra = []byte{0x75, 0x70, 99, 0, 1} }},
	), "")
	require.Equal(t, []string{"日本.txt", "Übersücht.txt", "Übersücht.txt"}, got)
	require.Zero(t, noted)
}

func TestBackslashesAreSlashes(t *testing.T) {
	var notes reading.Notes
	entries, err := Entries(open(t, pack(t, entry{name: `a\b.txt`}, entry{name: `dir\`}, entry{name: "c/"})), "", &notes)
	require.NoError(t, err)
	require.Equal(t, "a/b.txt", entries[0].Name)
	require.True(t, entries[1].Dir)
	require.True(t, entries[2].Dir)
	require.Len(t, notes.All(), 1)
}

// rootFiles is a minimal file system. rename, if it is set, is called before renames.
type rootFiles struct {
	*os.Root

	rename func(newname string) error
}

func (rootFiles) Clean(name string) (string, error) { return path.Clean(name), nil }
func (rootFiles) Place(name string) string          { return name }
func (rootFiles) Writer(f *os.File) io.Writer       { return f }

func (r rootFiles) Rename(oldname, newname string) error {
	if r.rename != nil {
		if err := r.rename(newname); err != nil {
			return err
		}
	}
	return r.Root.Rename(oldname, newname)
}

// extract unpacks an archive into out below dir.
func extract(t testing.TB, dir string, data []byte, rename func(string) error) (files []string, notes []string, err error) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // nothing is left to write
	var n reading.Notes
	x := Extraction{Dir: "out", Pattern: "*", Disk: folder.Disk{Files: rootFiles{root, rename}}, Notes: &n}
	z, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	files, err = x.Run(t.Context(), z, int64(len(data)))
	for _, note := range n.All() {
		notes = append(notes, note.String())
	}
	return files, notes, err
}

// tree returns the files below dir with their contents.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		at, _ := filepath.Rel(dir, name)
		if e.IsDir() {
			all[at+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(name)
		all[at] = string(text)
		return err
	}))
	return all
}

func TestEntriesThatCannotBeUnpackedAreDroppedByName(t *testing.T) {
	good := entry{name: "d/good.txt", text: "good"}
	method := func(method uint16) func(h *zip.FileHeader) { return func(h *zip.FileHeader) { h.Method = method } }
	for _, c := range []struct {
		name  string
		bad   entry
		patch func([]byte) // of the archive
		note  string
	}{
		{"above", entry{name: "../x"}, nil, "../x: the entry cannot be unpacked: it would lie outside of the directory"},
		{"above, with backslashes", entry{name: `a\..\..\x`}, nil, "a/../../x: the entry cannot be unpacked: it would lie outside of the directory"},
		{"absolute", entry{name: "/etc/x"}, nil, "/etc/x: the entry cannot be unpacked: it would lie outside of the directory"},
		{"a drive", entry{name: `C:\x`}, nil, "C:/x: the entry cannot be unpacked: it would lie outside of the directory"},
		{"a link", entry{name: "link", text: "/etc/passwd", header: func(h *zip.FileHeader) { h.SetMode(fs.ModeSymlink | 0o777) }}, nil, "link: the entry cannot be unpacked: it is a link or a device; only files are unpacked"},
		{"a pipe", entry{name: "pipe", header: func(h *zip.FileHeader) { h.SetMode(fs.ModeNamedPipe | 0o644) }}, nil, "pipe: the entry cannot be unpacked: it is a link or a device; only files are unpacked"},
		{"a zero", entry{name: "a\x00b"}, nil, "a\x00b: the entry cannot be unpacked: its name is no path"},
		{"a dot", entry{name: "."}, nil, ".: the entry cannot be unpacked: its name is no path"},
		{"encrypted", entry{name: "secret", text: "x"}, flag("secret", 1), "secret: the entry cannot be unpacked: it is encrypted; pack it without a password"},
		{"Deflate64", entry{name: "big"}, setMethod("big", deflate64), "big: the entry cannot be unpacked: it is packed with Deflate64, which cannot be unpacked here; pack it with Deflate"},
		{"LZMA", entry{name: "big"}, setMethod("big", 14), "big: the entry cannot be unpacked: it is packed with LZMA, which cannot be unpacked here; pack it with Deflate"},
		{"unknown", entry{name: "big"}, setMethod("big", 777), "big: the entry cannot be unpacked: it is packed with method 777, which cannot be unpacked here; pack it with Deflate"},
		{"a wrong checksum", entry{name: "sum", text: "checked", header: method(zip.Store)}, func(b []byte) { b[bytes.Index(b, []byte("checked"))] = 'C' }, "sum: the entry cannot be unpacked: its checksum is wrong; it is damaged"},
		{"a file and a directory", entry{name: "d", text: "x"}, nil, "d: the entry cannot be unpacked: other entries have its name as their directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := pack(t, c.bad, good)
			if c.patch != nil {
				c.patch(data)
			}
			dir := t.TempDir()
			files, notes, err := extract(t, dir, data, nil)
			require.NoError(t, err)
			require.Contains(t, notes, c.note)
			require.Equal(t, []string{"out/d/good.txt"}, files)
			require.Equal(t, map[string]string{"out/": "", "out/d/": "", "out/d/good.txt": "good"}, tree(t, dir))
		})
	}
}

// flag sets a flag of the entry in the directory of an archive; setMethod its method.
func flag(name string, flag byte) func([]byte) {
	return func(b []byte) { b[bytes.LastIndex(b, []byte(name))-46+8] |= flag }
}

func setMethod(name string, method uint16) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint16(b[bytes.LastIndex(b, []byte(name))-46+10:], method) }
}

func TestArchivesAreReadWithWhatIsAroundThem(t *testing.T) {
	data := pack(t, entry{name: "a.txt", text: "first"}, entry{name: "b.txt", text: strings.Repeat("x", 1000), header: func(h *zip.FileHeader) { h.Method = zstdZIP }}, entry{name: "./a.txt", text: "last"}, entry{name: "empty/"})
	for name, data := range map[string][]byte{
		"as it is": data, "a program before it": append([]byte("#!/bin/sh\nexit\n"), data...), "bytes after it": append(bytes.Clone(data), make([]byte, 1000)...),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files, notes, err := extract(t, dir, data, nil)
			require.NoError(t, err)
			require.Equal(t, []string{"out/b.txt", "out/a.txt"}, files)
			require.Equal(t, "last", tree(t, dir)["out/a.txt"])
			require.Equal(t, strings.Repeat("x", 1000), tree(t, dir)["out/b.txt"])
			require.Equal(t, []string{"a.txt: the archive has the name more than once; the last entry is taken"}, notes)
		})
	}
	for message, data := range map[string][]byte{
		"the file may be cut off": data[:len(data)-60], "the file is empty": nil, "a RAR archive": []byte("Rar!\x1a\x07\x00"), "it is gzip": []byte("\x1f\x8b\x08"), "a 7z archive": []byte("7z\xbc\xaf\x27\x1c\x00"),
	} {
		_, _, err := extract(t, t.TempDir(), data, nil)
		require.ErrorContains(t, err, message)
	}
}

func TestZIP64IsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/zip64.zip")
	require.NoError(t, err)
	dir := t.TempDir()
	files, notes, err := extract(t, dir, data, nil)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, []string{"out/one.txt", "out/two.txt"}, files)
	require.Equal(t, "second", tree(t, dir)["out/two.txt"])
}

func TestAFailureLeavesEverythingAsItWas(t *testing.T) {
	before := map[string]string{"out/": "", "out/a.txt": "old a", "out/c.txt": "old c"}
	prepare := func(t *testing.T) string {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "out"), 0o755))
		for _, name := range []string{"a", "c"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "out", name+".txt"), []byte("old "+name), 0o644))
		}
		return dir
	}
	entries := []entry{{name: "a.txt", text: "new a"}, {name: "new/deep/b.txt", text: "new b"}, {name: "c.txt", text: "new c"}}
	t.Run("a bomb at the end", func(t *testing.T) {
		dir := prepare(t)
		_, _, err := extract(t, dir, pack(t, append(entries, entry{name: "bomb", text: strings.Repeat("0", 10<<20)})...), nil)
		require.ErrorContains(t, err, `entry "bomb" unpacks to more than 200 times its size`)
		require.Equal(t, before, tree(t, dir))
	})
	for _, name := range []string{"out/a.txt", "out/new/deep/b.txt", "out/c.txt"} {
		t.Run("the disk refuses "+name, func(t *testing.T) {
			dir, refused := prepare(t), false
			_, _, err := extract(t, dir, pack(t, entries...), func(newname string) error {
				if newname == name && !refused {
					refused = true
					return errors.New("refused")
				}
				return nil
			})
			require.ErrorContains(t, err, "refused")
			require.Equal(t, before, tree(t, dir))
		})
	}
	t.Run("a file that should be a directory", func(t *testing.T) {
		dir := prepare(t)
		_, _, err := extract(t, dir, pack(t, entries[1], entry{name: "c.txt/x", text: "x"}), nil)
		require.Error(t, err)
		require.Equal(t, before, tree(t, dir))
	})
}

func gz(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestGunzip(t *testing.T) {
	one, two := gz(t, "one "), gz(t, "two")
	both := append(bytes.Clone(one), two...)
	empty := gz(t, "")
	for _, c := range []struct {
		name  string
		data  []byte
		want  string
		notes int
		err   string
	}{
		{"one member", one, "one ", 0, ""},
		{"two members", both, "one two", 0, ""},
		{"an empty member between", append(append(bytes.Clone(one), empty...), two...), "one two", 0, ""},
		{"zeros after it", append(bytes.Clone(both), make([]byte, 5000)...), "one two", 0, ""},
		{"text after it", append(bytes.Clone(both), "garbage"...), "one two", 1, ""},
		{"one byte after it", append(bytes.Clone(both), 0x1f), "one two", 1, ""},
		{"cut off", both[:len(both)-3], "", 0, "it is damaged: unexpected EOF"},
		{"a damaged second member", append(bytes.Clone(one), "\x1f\x8b\x09"...), "", 0, "it is damaged"},
		{"ZIP", []byte("PK\x03\x04 and so on"), "", 0, "it is no gzip: it is ZIP"},
		{"nothing", nil, "", 0, "it is no gzip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{bytes.NewReader(c.data), iotest.OneByteReader(bytes.NewReader(c.data))} {
				var out strings.Builder
				var notes reading.Notes
				err := Gunzip(context.Background(), &out, r, int64(len(c.data)), &notes)
				if c.err != "" {
					require.ErrorContains(t, err, c.err)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, c.want, out.String())
				require.Len(t, notes.All(), c.notes)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	f.Add(pack(f, entry{name: "a.txt", text: "x"}, entry{name: `..\b`}, entry{name: "a.txt"}))
	f.Add(pack(f, entry{name: "\x83e\x83X\x83g"}, entry{name: "a/b/c", header: func(h *zip.FileHeader) { h.Method = zstdZIP }}))
	f.Add(gz(f, "x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		_, _, _ = extract(t, dir, data, nil)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			require.Equal(t, "out", e.Name(), "nothing leaves its directory")
		}
		_ = Gunzip(t.Context(), io.Discard, bytes.NewReader(data), int64(len(data)), &reading.Notes{})
	})
}
