package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/http"
	"strings"
)

const pageStyle = `h1{font-size:1.4em}body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:20vh auto 0;padding:0 1em}` +
	`@media(prefers-color-scheme:dark){body{background:#16181d;color:#e6e8ec}}`

// WritePage answers the browser that comes back from a network: the account is
// connected if err is nil, and otherwise why not. err must be of this package or
// of a provider. The page needs nothing else and leads nowhere.
func WritePage(w http.ResponseWriter, err error) {
	status, title, text := http.StatusOK, "The account is connected", "You can close this window and go back to where you came from."
	if err != nil {
		status, title, text = http.StatusBadRequest, "The account is not connected", sentence(err.Error())
	}
	if errors.Is(err, context.Canceled) {
		text = "The login was cancelled."
	}
	hash := sha256.Sum256([]byte(pageStyle))
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer") // the address of the page holds the code
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">`+
		"<title>%[1]s</title><style>%[2]s</style><h1>%[1]s</h1><p>%[3]s</p></html>\n", title, pageStyle, html.EscapeString(text))
}

// sentence makes a sentence of the text of an error.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
