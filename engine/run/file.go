package run

import "time"

// File is an entry of the files folder: a file or a folder.
type File struct {
	Path     string    `json:"path"` // relative to the files folder
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Folder   bool      `json:"folder,omitempty"`
	// Tag changes whenever the content of the file changes. It is set only in requests for
	// a single file.
	Tag string `json:"-"`
}

// FileQuery is a query for the entries of a folder below the files folder.
type FileQuery struct {
	Dir    string // empty for the files folder itself
	Limit  int    // of one page; 0 means MaxFiles
	Cursor string // NextCursor of the page before; empty for the first one
}

// MaxFiles is how many files one page has at most.
const MaxFiles = 1000

// FilePage is a page of the entries of a folder, sorted by name.
type FilePage struct {
	Items      []File `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"` // empty on the last page
}
