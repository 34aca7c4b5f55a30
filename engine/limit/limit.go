// Package limit has the limits that apply to all user interfaces of Svc, each in one place.
// docs/limits.md is generated from its table. Limits of single node types are in their
// descriptions, and limits that an operator can set, in docs/operate.md.
package limit

import "time"

// Limits of a document.
const (
	Nodes       = 10_000   // of a workflow, in all bodies together
	Connections = 50_000   // of a workflow, in all bodies together
	Ports       = 250_000  // of all nodes, in all bodies together
	Document    = 10 << 20 // bytes of the JSON text
	Bodies      = 64       // bodies within bodies, and stored workflows within workflows
)

// Comparisons limits the fields and enum members that are compared for all connections. For
// each connection, the type with fewer counts.
const Comparisons = 5_000_000

// Shown is the maximum size, in bytes of JSON, up to which events and answers show an
// output of a node. Outputs of the run itself are always shown.
const Shown = 64 << 10

// Limits of the report about an invalid workflow or invalid inputs: the number of problems,
// the size of their JSON, the size of a message or hint, and the number of names in it.
const (
	Problems     = 1_000
	ProblemBytes = 1 << 20
	Message      = 1 << 10
	Names        = 10
)

// Description is the number of bytes of each description in a list of workflows.
const Description = 4 << 10

// Failure is the maximum length of a failure message or progress message, in bytes. Longer
// texts belong in a value.
const Failure = 4 << 10

// RunMemory is the default limit of the memory of a run's values, in bytes; RunMemoryFlag
// sets it. MemoryFlag limits all runs together.
const (
	RunMemory     = 512 << 20
	RunMemoryFlag = "--run-memory"
	RunCPUFlag    = "--run-cpu"
	AdmitFlag     = "--admit"
	MemoryFlag    = "GOMEMLIMIT"
)

// Values whose JSON has DedupThreshold bytes or more are stored once per run, by digest.
// RunBytes is the default limit of a run's record, in bytes.
const (
	DedupThreshold = 4 << 10
	RunBytes       = 256 << 20
)

// Connected is the default limit of concurrent connections to a server, and ConnectedFrom
// that of connections from one address. Streams is the number of concurrent HTTP/2 requests
// per connection. Stall is how long a client may read nothing of a response.
const (
	Connected     = 10_000
	ConnectedFrom = 1_000
	Streams       = 100
	Stall         = 30 * time.Second
)

// Default limits of the files folder of a server, and limits of the length and depth of
// paths in it.
const (
	FilesBytes   = 10 << 30
	FilesEntries = 1_000_000
	FilesDepth   = 64
	FilesPath    = 4096
)

// Upload is the default limit of an uploaded file, in bytes; UploadFlag sets it.
const (
	Upload     = 2 << 30
	UploadFlag = "--max-upload"
)

// IdempotencyKey is the maximum length of a key, in bytes, and IdempotencyKeys the number
// of keys remembered.
const (
	IdempotencyKey  = 255
	IdempotencyKeys = 1_000_000
)

// Keys is the maximum number of named keys of a server.
const Keys = 1_000

// Limits of tables: the rows that a node reads at once, the columns of a table, and the
// bytes of a row.
const (
	TableRows    = 1_000_000
	TableColumns = 16_384
	TableRow     = 1 << 20
)

// Unfolded is the maximum number of values from a text in which a short part can expand to
// many values: XML, and YAML with references.
const Unfolded = 1_000_000

// Limits of unpacking: the entries of an archive, the ratio of unpacked to packed size, and
// the bytes unpacked in memory. Data unpacked into files is limited by the files folder.
const (
	ArchiveEntries = 100_000
	ArchiveRatio   = 200
	Unpacked       = 256 << 20
)

// Limits of documents whose text is extracted: their pages, and the bytes of the text.
const (
	Pages     = 10_000
	PagesText = 64 << 20
)

// Limits of triggers: the firings that wait, the bytes of their outputs, and the firings of
// one schedule that wait; the missed times of a schedule that are made up for; the
// automatic resumptions of an interrupted run; and the length of a chain of runs, each
// started by the end of the previous one.
const (
	WaitingFirings  = 10_000
	WaitingBytes    = 256 << 20
	WaitingTimes    = 1_000
	CaughtUp        = 100
	ResumedByItself = 5
	Chain           = 16
)

// Limits of state: the JSON of a value in bytes, all values in bytes, and the items of a
// list that state.new_items remembers.
const (
	StateValue = 256 << 10
	StateBytes = 100 << 20
	SeenItems  = 100_000
)

// Limit is one row of the table.
type Limit struct {
	What  string
	Most  int
	Bytes bool // Most counts bytes
	Past  string
}

// Table returns all limits of this package, in the order of the documentation.
func Table() []Limit {
	return []Limit{
		{What: "nodes of a workflow, in all bodies together", Most: Nodes, Past: "`limit_exceeded`"},
		{What: "connections of a workflow, in all bodies together", Most: Connections, Past: "`limit_exceeded`"},
		{What: "inputs and outputs of all nodes together", Most: Ports, Past: "`limit_exceeded`"},
		{What: "fields and enum members that connections compare", Most: Comparisons, Past: "`limit_exceeded`"},
		{What: "the JSON text of a workflow", Most: Document, Bytes: true, Past: "`too_large` (413)"},
		{What: "bodies within bodies, and workflows within workflows", Most: Bodies, Past: "`limit_exceeded`"},
		{What: "an output of a node, as events and answers show it", Most: Shown, Bytes: true, Past: "`$elided`, with its size; `?full=true` shows it"},
		{What: "problems in an answer", Most: Problems, Past: "a last one with `truncated`, how many more there are"},
		{What: "problems in an answer, as JSON", Most: ProblemBytes, Bytes: true, Past: "the same"},
		{What: "the message, the hint or the path of a problem", Most: Message, Bytes: true, Past: "shortened in the middle"},
		{What: "names in a hint", Most: Names, Past: "the number of the others"},
		{What: "the description of a workflow, in lists", Most: Description, Bytes: true, Past: "shortened in the middle"},
		{What: "the message of a failure or of a progress, everywhere", Most: Failure, Bytes: true, Past: "shortened in the middle"},
		{What: "memory that the values of a run take", Most: RunMemory, Bytes: true, Past: "`limit_exceeded`; `" + RunMemoryFlag + "` sets it"},
		{What: "connections to a server", Most: Connected, Past: "closed; `--max-connections` sets it"},
		{What: "connections from one address", Most: ConnectedFrom, Past: "closed; `--max-per-address` sets it"},
		{What: "requests of a connection that are answered at once, over HTTP/2", Most: Streams, Past: "the client waits; over HTTP/1.1 one at a time"},
		{What: "seconds in which a client takes nothing of an answer", Most: int(Stall / time.Second), Past: "the connection is cut"},
		{What: "what a run puts down; an equal value over 4 KiB counts once", Most: RunBytes, Bytes: true, Past: "`limit_exceeded`; see `--run-bytes`"},
		{What: "bytes below the files folder of a server", Most: FilesBytes, Bytes: true, Past: "ended runs with files make room, then `storage_full`; `--files-bytes`"},
		{What: "files and folders below it", Most: FilesEntries, Past: "`storage_full`; `--files-entries`"},
		{What: "folders of a path below it", Most: FilesDepth, Past: "`limit_exceeded`"},
		{What: "bytes of a path below it", Most: FilesPath, Past: "`limit_exceeded`"},
		{What: "a file that is sent to a server", Most: Upload, Bytes: true, Past: "`too_large` (413); `" + UploadFlag + "` sets it"},
		{What: "firings that wait for a place", Most: WaitingFirings, Past: "refused; times of schedules are counted in `missed`"},
		{What: "bytes of what they put out", Most: WaitingBytes, Bytes: true, Past: "the same"},
		{What: "firings of one schedule that wait", Most: WaitingTimes, Past: "they are counted in `missed`"},
		{What: "rows of CSV and XLSX that come in one piece", Most: TableRows, Past: "`limit_exceeded`; `data.csv_each` reads more"},
		{What: "columns of a table", Most: TableColumns, Past: "`limit_exceeded`"},
		{What: "a row of CSV", Most: TableRow, Bytes: true, Past: "`limit_exceeded`, with its line"},
		{What: "values that come of one text of XML or YAML", Most: Unfolded, Past: "`limit_exceeded`"},
		{What: "entries of an archive", Most: ArchiveEntries, Past: "`limit_exceeded`"},
		{What: "how many times its own size something unpacks to, past 1 MiB", Most: ArchiveRatio, Past: "`limit_exceeded`, with the entry"},
		{What: "what is unpacked in memory", Most: Unpacked, Bytes: true, Past: "`limit_exceeded`"},
		{What: "pages of a document of which the text is read", Most: Pages, Past: "`limit_exceeded`"},
		{What: "the text of its pages", Most: PagesText, Bytes: true, Past: "`limit_exceeded`, with the page"},
		{What: "times of a schedule that are caught up on, with `missed` = `all`", Most: CaughtUp, Past: "the earlier ones are counted in `missed`"},
		{What: "how often an interrupted run of a trigger goes on by itself", Most: ResumedByItself, Past: "it waits for somebody who resumes it"},
		{What: "runs in a row, each started by the end of the one before", Most: Chain, Past: "`limit_exceeded`; the last one starts no other"},
		{What: "a value of the state, as JSON", Most: StateValue, Bytes: true, Past: "`limit_exceeded`"},
		{What: "all state of a data directory", Most: StateBytes, Bytes: true, Past: "`limit_exceeded`"},
		{What: "items of a list that `state.new_items` remembers", Most: SeenItems, Past: "`limit_exceeded`"},
		{What: "bytes of an idempotency key", Most: IdempotencyKey, Past: "`invalid_parameter` (400)"},
		{What: "idempotency keys of a day", Most: IdempotencyKeys, Past: "`too_many_keys` (503)"},
		{What: "named keys of a service", Most: Keys, Past: "`key_limit` (409)"},
	}
}
