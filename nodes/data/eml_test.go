package data_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

const mail = "From: =?utf-8?q?Ann_M=C3=BCller?= <ann@example.com>\r\nTo: Bob <bob@example.com>, carl@example.com\r\nSubject: =?utf-8?b?R3LDvMOfZQ==?=\r\n" +
	"Date: Sat, 31 Jan 2026 19:05:09 +0100\r\nMessage-ID: <a@example.com>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n" +
	"--x\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n<p>Gr\xfc\xdfe</p>\r\n--x\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=\"../../a b.txt\"\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--x--\r\n"

func TestEMLParse(t *testing.T) {
	h, dir := host(t)
	put(t, dir, "in.eml", mail)
	out, err := h.Exec("data.eml_parse", record{"attachments_dir": "out"}, record{"path": "in.eml"})
	require.NoError(t, err)
	require.Equal(t, "Ann Müller <ann@example.com>", out["from"])
	require.Equal(t, []any{"Bob <bob@example.com>", "carl@example.com"}, out["to"])
	require.Equal(t, []any{}, out["cc"])
	require.Equal(t, "Grüße", out["subject"])
	require.Equal(t, "2026-01-31T18:05:09Z", out["timestamp"])
	require.Equal(t, "<a@example.com>", out["id"])
	require.Equal(t, "Grüße", out["text"])
	require.Equal(t, "<p>Grüße</p>", strings.TrimSpace(out["html"].(string)))
	attachments := out["attachments"].([]any)
	require.Len(t, attachments, 1)
	a := attachments[0].(record)
	require.Equal(t, 5, a["bytes"])
	require.Regexp(t, `^out/[0-9a-f]{12}-1-a b\.txt$`, a["path"])
	require.Equal(t, "hello", read(t, dir, a["path"].(string)))

	out, err = h.Exec("data.eml_parse", nil, record{"text": "Subject: a\n\nb"})
	require.NoError(t, err)
	require.Len(t, out["id"], 32)
	require.Empty(t, out["attachments"])
	for _, text := range []string{"no header, no nothing", `{"a": 1}`, "https://example.com", ""} {
		_, err = h.Exec("data.eml_parse", nil, record{"text": text})
		require.Equal(t, node.CodeInvalidInput, node.CodeOf(err), text)
	}
	for _, text := range []string{strings.Repeat("x", 26<<20), "Content-Type: multipart/mixed; boundary=x\r\n\r\n" + strings.Repeat("--x\r\n\r\na\r\n", 1500)} {
		_, err = h.Exec("data.eml_parse", nil, record{"text": text})
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
		require.True(t, node.IsPermanent(err))
	}
	_, err = h.Exec("data.eml_parse", record{"attachments_dir": "in.eml"}, record{"path": "in.eml"})
	require.Error(t, err)
}
