package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/editor/doc"
)

// everyday are words that users type who want a node and do not know its name, and the nodes
// that they should find.
const everyday = `
if: control.branch
else: control.branch
condition: control.branch
decide: control.branch
wait: control.delay
sleep: control.delay
pause: control.delay
error: control.fail
stop: control.fail
abort: control.fail
throw: control.fail
loop: control.foreach control.while
iterate: control.foreach
repeat: control.foreach control.while
each item: control.foreach
foreach: control.foreach
merge: control.merge json.merge
coalesce: control.merge
function: control.subworkflow
call workflow: control.subworkflow
subworkflow: control.subworkflow
case: control.switch
route: control.switch
switch: control.switch
constant: control.value
fixed: control.value
value: control.value
polling: control.while
while: control.while
inbox: email.fetch_emails
imap: email.fetch_emails email.get_mailboxes
folders: email.get_mailboxes
attachments: email.read_email
answer: email.reply_email
respond: email.reply_email
smtp: email.send_email
mail: email.send_email email.fetch_emails
send email: email.send_email
environment: io.env_read
variable: io.env_read
directory: io.file_list
ls: io.file_list
folder: io.file_list
open file: io.file_read
read file: io.file_read
save file: io.file_write
write file: io.file_write
api: io.http_request
rest: io.http_request
curl: io.http_request
http: io.http_request
url: io.http_request
download: io.http_request
request: io.http_request
parameter: io.input
argument: io.input
input: io.input
result: io.output
return: io.output
output: io.output
path: io.resolve_path json.path
file name: io.resolve_path
webhook: io.webhook_post
callback: io.webhook_post
object: json.build
set fields: json.build listops.select
cast: json.convert
convert: json.convert
combine objects: json.merge
parse json: json.parse
decode: text.decode json.parse
jsonpath: json.path
extract: json.path text.regex
jq: json.query
reshape: json.query
serialize: json.stringify
to json: json.stringify
schema: json.validate
validate: json.validate
group by: listops.group_by listops.aggregate
statistics: listops.aggregate
totals: listops.aggregate
batch: listops.chunk
chunks: listops.chunk
append lists: listops.concat
compare: listops.diff
changes: listops.diff
difference: listops.diff
filter: listops.filter
where: listops.filter
keep: listops.filter
flatten: listops.flatten
first: listops.get
last: listops.get
index: listops.get
element: listops.get
group: listops.group_by
join: listops.join text.join
sql join: listops.join
count: listops.length listops.range
size: listops.length
how many: listops.length
vlookup: listops.lookup
lookup: listops.lookup
map: listops.map
pivot: listops.pivot
crosstab: listops.pivot
range: listops.range
sequence: listops.range
reduce: listops.reduce
fold: listops.reduce
columns: listops.select
rename: listops.select
limit: listops.slice
take: listops.slice
sort: listops.sort
order: listops.sort
sum: listops.sum
total: listops.sum
average: listops.sum
max: listops.sum
unique: listops.unique
distinct: listops.unique
duplicates: listops.unique
dedupe: listops.unique
zip: listops.zip
pair: listops.zip
picture: preview.image
image: preview.image
table: preview.table
show: preview.view
debug: preview.view
log: preview.view
concatenate: text.concat listops.concat
base64: text.encode text.decode
escape: text.encode
template: text.format
placeholder: text.format
format: text.format time.format
md5: text.hash
sha256: text.hash
checksum: text.hash
comma separated: text.join
length: text.length listops.length
words: text.length
regex: text.regex
regular expression: text.regex
pattern: text.regex
match: text.regex listops.join
replace: text.replace
substitute: text.replace
substring: text.slice
shorten: text.slice
cut: text.slice
csv: text.split data.csv_parse
split: text.split listops.chunk
number: text.to_number
parse number: text.to_number
uppercase: text.transform
lowercase: text.transform
trim: text.transform
capitalize: text.transform
date: time.now time.format
now: time.now
today: time.now
timestamp: time.now
clock: time.now
time zone: time.format
button: trigger.manual
trigger: trigger.manual
cron: trigger.schedule
schedule: trigger.schedule
daily: trigger.schedule
every day: trigger.schedule
timer: trigger.schedule control.delay
wenn: control.branch
sonst: control.branch
bedingung: control.branch
warten: control.delay
fehler: control.fail
schleife: control.foreach control.while
wiederholen: control.foreach control.while
zusammenführen: control.merge json.merge listops.join
weiche: control.switch
konstante: control.value
solange: control.while
posteingang: email.fetch_emails
ordner: email.get_mailboxes io.file_list
anhänge: email.read_email
antworten: email.reply_email
mail senden: email.send_email
verzeichnis: io.file_list
datei lesen: io.file_read
datei speichern: io.file_write
herunterladen: io.http_request
webdienst: io.http_request
eingabe: io.input
ausgabe: io.output
ergebnis: io.output
objekt: json.build json.merge
umwandeln: json.convert listops.map text.to_number
schema prüfen: json.validate
gruppieren: listops.group_by
filtern: listops.filter
sortieren: listops.sort
summe: listops.sum listops.aggregate
durchschnitt: listops.sum
doppelte: listops.unique
anzahl: listops.length
sverweis: listops.lookup
spalten: listops.select
bild: preview.image
tabelle: preview.table data.xlsx_read data.csv_parse
anzeigen: preview.view preview.table preview.image
vorlage: text.format
platzhalter: text.format
ersetzen: text.replace
großbuchstaben: text.transform
kleinbuchstaben: text.transform
prüfsumme: text.hash
teiltext: text.slice
trennen: text.split
zahl: text.to_number
datum: time.now time.format
heute: time.now
uhrzeit: time.now trigger.schedule
zeitplan: trigger.schedule
täglich: trigger.schedule
jeden tag: trigger.schedule
knopf: trigger.manual
`

// everyType returns all node types of the program.
func everyType(t *testing.T) []*node.Spec { return registry(t).Specs() }

func registry(t *testing.T) *node.Registry {
	t.Helper()
	all, err := node.NewRegistry(append(nodes.Builtin(nodes.Env{}), program.Plugins(nodes.Env{}, func(string) string { return "" }, nil)...)...)
	require.NoError(t, err)
	return all
}

// TestEverydayWordsFindTheirNode holds the words of both languages against all nodes of
// the program: one that does it has to be among the first three.
func TestEverydayWordsFindTheirNode(t *testing.T) {
	german := wordsOf(t, "translations/de.json")
	for language, say := range map[string]func(string) string{
		"en": func(text string) string { return text },
		"de": func(text string) string { return german[text] },
	} {
		words := everyday
		if language == "de" {
			words = strings.Replace(words, "\ndate: time.now time.format", "", 1) // Datei begins so
		}
		t.Run(language, func(t *testing.T) { findEveryday(t, words, doc.NewSpecs(everyType(t), nil).InLanguage(say)) })
	}
}

func findEveryday(t *testing.T, everyday string, specs *doc.Specs) {
	t.Helper()
	const among, least = 3, 200
	count := 0
	for line := range strings.Lines(strings.TrimSpace(everyday)) {
		word, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		count++
		var first []string
		found := false
		for _, c := range specs.Search(word)[:min(among, len(specs.Search(word)))] {
			first = append(first, c.Spec.Type)
			for does := range strings.FieldsSeq(list) {
				found = found || c.Spec.Type == does
			}
		}
		if !found {
			t.Errorf("%q finds %v, none of which is %s", word, first, list)
		}
	}
	require.GreaterOrEqual(t, count, least)
}
