"""Writes feedparser.json: what Python's feedparser reads of the feeds in this folder."""
import feedparser, glob, json, os, time

here = os.path.dirname(os.path.abspath(__file__))
feeds = {}
for path in sorted(glob.glob(here + "/*.xml") + glob.glob(here + "/*.rdf")):
    d = feedparser.parse(open(path, "rb").read(), sanitize_html=False, resolve_relative_uris=False)
    items = []
    for e in d.entries:
        at = dict.get(e, "published_parsed") or dict.get(e, "updated_parsed") or dict.get(e, "created_parsed")
        author = (e.get("authors") or [{}])[0]
        content = e.content[0].value.replace("<br></br>", "<br/>") if "content" in e else ""
        summary = e.get("summary", "")
        link = e.get("link", "")
        items.append({
            "id": e.get("id") or link, "title": e.get("title", ""), "url": link if "://" in link else "",
            "published": time.strftime("%Y-%m-%dT%H:%M:%SZ", at) if at else "",
            "author": author.get("name") or author.get("email") or "",
            "summary": "" if summary.replace("<br></br>", "<br/>") == content else summary, "content": content,
            "enclosures": [f.href for f in e.get("links", []) if f.get("rel") == "enclosure"],
        })
    feeds[os.path.basename(path)] = {"title": d.feed.get("title", ""), "items": items}
json.dump({"reader": "feedparser " + feedparser.__version__, "feeds": feeds},
          open(os.path.join(here, "feedparser.json"), "w"), indent=1, ensure_ascii=False)
