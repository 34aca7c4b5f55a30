"""Prints the events of a folder of .ics files as JSON: recurring-ical-events with icalendar.

usage: reference.py FOLDER FROM UNTIL
"""
import datetime, glob, json, os, sys, warnings
warnings.simplefilter("ignore")
import icalendar, recurring_ical_events

folder, start, until = sys.argv[1], datetime.datetime.fromisoformat(sys.argv[2]), datetime.datetime.fromisoformat(sys.argv[3])
utc = datetime.timezone.utc
start, until = start.replace(tzinfo=utc), until.replace(tzinfo=utc)

def text(t):
    if not isinstance(t, datetime.datetime):
        return t.isoformat()
    if t.tzinfo is None:
        t = t.replace(tzinfo=utc)
    return t.astimezone(utc).strftime("%Y-%m-%dT%H:%M:%SZ")

def events(path):
    found = []
    for calendar in icalendar.Calendar.from_ical(open(path, "rb").read(), multiple=True):
        for e in recurring_ical_events.of(calendar, skip_bad_series=True).between(start, until):
            if str(e.get("STATUS", "")).upper() != "CANCELLED":
                found.append(" ".join([text(e["DTSTART"].dt), text(e["DTEND"].dt), str(e.get("UID", "")), str(e.get("SUMMARY", ""))]))
    return sorted(found)

result = {}
for path in sorted(glob.glob(os.path.join(folder, "*.ics"))):
    try:
        result[os.path.basename(path)] = {"events": events(path)}
    except BaseException as err:
        result[os.path.basename(path)] = {"error": f"{type(err).__name__}: {err}"[:200]}
print(json.dumps(result, indent=1, ensure_ascii=False))
