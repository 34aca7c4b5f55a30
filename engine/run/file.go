package run

import "time"

// File is something in the files folder: a file, or a folder with files.
type File struct {
	Path     string    `json:"path"` // in the files folder
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Folder   bool      `json:"folder,omitempty"`
	// Tag is another one whenever what is in the file is; only what asks for one file tells it.
	Tag string `json:"-"`
}

// FileQuery asks for what lies in a folder of the files folder.
type FileQuery struct {
	Dir    string // empty for the files folder itself
	Limit  int    // of one page; 0 means MaxFiles
	Cursor string // NextCursor of the page before; empty for the first one
}

// MaxFiles is how many files one page has at most.
const MaxFiles = 1000

// FilePage is a page of what lies in a folder, sorted by name.
type FilePage struct {
	Items      []File `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"` // empty on the last page
}
