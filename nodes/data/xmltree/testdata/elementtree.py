"""Writes elementtree.json: what Python's ElementTree reads of the documents of cases.json."""
import json, os, platform, xml.etree.ElementTree as ET

here = os.path.dirname(os.path.abspath(__file__))

def name(tag, prefixes):
    if tag.startswith("{"):
        uri, local = tag[1:].split("}")
        prefix = prefixes.get(uri, "")
        return prefix + ":" + local if prefix else local
    return tag

def value(e, prefixes):
    out = {"@" + name(k, prefixes): v for k, v in e.attrib.items()}
    text = e.text or ""
    for child in e:
        v, n = value(child, prefixes), name(child.tag, prefixes)
        text += child.tail or ""
        if n not in out:
            out[n] = v
        elif isinstance(out[n], list):
            out[n].append(v)
        else:
            out[n] = [out[n], v]
    if not out:
        return text
    if text.strip():
        out["#text"] = text
    return out

results = {}
for case in json.load(open(os.path.join(here, "cases.json"))):
    data = case["xml"].encode(case.get("encoding", "utf-8"))
    if case.get("bom"):
        data = "\ufeff".encode(case["encoding"]) + data
    try:
        root = ET.fromstring(data)
        prefixes = {"http://www.w3.org/XML/1998/namespace": "xml", **case.get("prefixes", {})}
        results[case["name"]] = {"value": {name(root.tag, prefixes): value(root, prefixes)}}
    except ET.ParseError as e:
        results[case["name"]] = {"error": str(e)}
json.dump({"reader": "ElementTree of Python " + platform.python_version(), "results": results},
          open(os.path.join(here, "elementtree.json"), "w"), indent=1, ensure_ascii=False)
