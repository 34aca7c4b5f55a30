package feed

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/svcflow/svc/nodes/reading"
)

// finish returns the item.
func (d *draft) finish(r *reader) Item {
	item := Item{
		GUID: r.clean(d.texts[guid]), Title: r.clean(d.texts[title]), URL: r.clean(cmp.Or(d.texts[link], d.otherLink)),
		Summary: r.clean(d.texts[summary]), Content: r.clean(d.texts[content]), Author: d.author(r),
		Enclosures: d.enclosures,
	}
	if item.URL == "" && d.isPermalink && isWeb(item.GUID) {
		item.URL = item.GUID
	}
	item.ID = cmp.Or(item.GUID, r.clean(d.about), item.URL)
	if len(item.Enclosures) == 0 {
		item.Enclosures = d.media
	}
	item.Enclosures = slices.DeleteFunc(item.Enclosures, func(e Enclosure) bool { return e.URL == "" })
	for _, f := range []field{published, updated, created} {
		if d.texts[f] == "" {
			continue
		}
		date := r.clean(d.texts[f])
		item.Date = cmp.Or(item.Date, date)
		at, err := parseDate(date)
		if at.IsZero() {
			r.notes.Repaired(r.line+1, item.Title, "the date %q cannot be read; it was left out", reading.Cut(date))
			continue
		}
		if err != nil {
			r.notes.Repaired(r.line+1, item.Title, "%s", err)
		}
		item.Published = at
		break
	}
	return item
}

// address matches a mail address, as feedparser does.
var address = regexp.MustCompile(`[a-zA-Z0-9_\-.+]+@(?:\[[0-9.]+\]|(?:[a-zA-Z0-9\-]+\.)+[a-zA-Z]{2,})(?:\?subject=\S+)?`)

// author returns the name of the author, or else the mail address.
func (d *draft) author(r *reader) string {
	name, mail := d.texts[authorName], d.texts[authorMail]
	if name == "" && mail == "" {
		name, mail = splitAuthor(d.texts[author])
	}
	return r.clean(cmp.Or(name, mail))
}

// splitAuthor splits an author as people write it: "ada@example.com (Ada)", "Ada <ada@example.com>".
func splitAuthor(text string) (name, mail string) {
	text = strings.TrimSpace(text)
	if mail = address.FindString(text); mail == "" {
		return text, ""
	}
	name = strings.Replace(text, mail, "", 1)
	for _, empty := range []string{"()", "<>", "&lt;&gt;", "mailto:"} {
		name = strings.ReplaceAll(name, empty, "")
	}
	name = strings.TrimSpace(name)
	name = strings.TrimSuffix(strings.TrimPrefix(name, "("), ")")
	return strings.TrimSpace(name), mail
}
