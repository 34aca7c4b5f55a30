// Package limit has the limits that users meet and that hold for every face of Svc, each
// once. docs/limits.md is made from its table. What a single node type may take is in the
// description of that type, and what an operator may set, in docs/operate.md.
package limit

import "time"

// The limits of a document.
const (
	Nodes       = 10_000   // of a workflow, in all bodies together
	Connections = 50_000   // of a workflow, in all bodies together
	Ports       = 250_000  // of all nodes, in all bodies together
	Document    = 10 << 20 // bytes of the JSON text
	Bodies      = 64       // bodies within bodies, and stored workflows within workflows
)

// Comparisons is how many fields and members the types on both ends of all connections may
// have to be compared, the smaller of both ends counting.
const Comparisons = 5_000_000

// Shown is how many bytes of JSON an output of a node may have to be shown whole in
// events and answers. What a run gives out itself is always whole.
const Shown = 64 << 10

// The limits of what is said about a workflow that is not valid, or about the inputs of a
// run: how many problems, their JSON together, one message or hint, and the names in that.
const (
	Problems     = 1_000
	ProblemBytes = 1 << 20
	Message      = 1 << 10
	Names        = 10
)

// Description is how many bytes a list of workflows shows of the description of each.
const Description = 4 << 10

// Failure is how many bytes the message of a failure may have, and that of a progress. It is
// for people: what is longer belongs into a value.
const Failure = 4 << 10

// RunMemory is how many bytes the values of a run may take unless an operator says
// otherwise, by RunMemoryFlag; MemoryFlag is what bounds all runs together.
const (
	RunMemory     = 512 << 20
	RunMemoryFlag = "--run-memory"
	RunCPUFlag    = "--run-cpu"
	AdmitFlag     = "--admit"
	MemoryFlag    = "GOMEMLIMIT"
)

// Values whose JSON has DedupThreshold bytes or more are stored once for each run, by digest. The
// record of a run may have RunBytes bytes in all, unless an operator sets another limit.
const (
	DedupThreshold = 4 << 10
	RunBytes       = 256 << 20
)

// Connected is how many connections a server has at once unless an operator says otherwise,
// ConnectedFrom how many of them from one address, Streams how many requests of one are
// answered at once over HTTP/2, and Stall how long a client may take no byte of an answer.
const (
	Connected     = 10_000
	ConnectedFrom = 1_000
	Streams       = 100
	Stall         = 30 * time.Second
)

// What workflows may keep below the files folder of a server, unless its operator says
// otherwise, and how long and how deep the paths in it may be.
const (
	FilesBytes   = 10 << 30
	FilesEntries = 1_000_000
	FilesDepth   = 64
	FilesPath    = 4096
)

// Upload is how many bytes a file may have that is sent to a server, unless its operator says
// otherwise, by UploadFlag.
const (
	Upload     = 2 << 30
	UploadFlag = "--max-upload"
)

// IdempotencyKey is how many bytes a key may have, and IdempotencyKeys how many of them
// are remembered at once.
const (
	IdempotencyKey  = 255
	IdempotencyKeys = 1_000_000
)

// Keys is how many named keys a service has.
const Keys = 1_000

// The limits of tables: how many rows a node reads in one piece, how many columns a table may
// have, and how many bytes one row.
const (
	TableRows    = 1_000_000
	TableColumns = 16_384
	TableRow     = 1 << 20
)

// Unfolded is how many values may come of a text in which little stands for much: of XML, and
// of YAML with references.
const Unfolded = 1_000_000

// The limits of what is unpacked: how many entries an archive may have, how many times its
// own size something may unpack to, and how many bytes in memory. What is unpacked into files
// is bounded by what these may have in all.
const (
	ArchiveEntries = 100_000
	ArchiveRatio   = 200
	Unpacked       = 256 << 20
)

// The limits of a document of which the text is read: how many pages it has, and how many
// bytes their text.
const (
	Pages     = 10_000
	PagesText = 64 << 20
)

// The limits of triggers: how many firings wait, and bytes of what they put out, how many
// of one schedule, how many of the times that passed while nobody was there are caught up
// on, how often an interrupted run goes on by itself, and how many runs start each other by
// their ends.
const (
	WaitingFirings  = 10_000
	WaitingBytes    = 256 << 20
	WaitingTimes    = 1_000
	CaughtUp        = 100
	ResumedByItself = 5
	Chain           = 16
)

// The limits of state: how many bytes of JSON a value may have, what all of it may take, and
// how many items state.new_items remembers of a list at most.
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

// Table returns all limits of this package, in the order in which the book has them.
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
