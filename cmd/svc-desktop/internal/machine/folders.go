package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// folderName is the name of the editor's folders.
const folderName = "svc"

// Folders are the folders of the editor.
type Folders struct {
	// Data has workflows and runs, like the data directory of svc.
	Data string
	// User has the user's own data, whatever Data is: accounts, addresses of servers, drafts,
	// and recent workflows.
	User string
}

// FindFolders returns the folders of the user. data names the data directory; if it is empty,
// that is $XDG_DATA_HOME/svc or ~/.local/share/svc, and on Windows and macOS the usual folder
// for program data. Both are absolute, and created on the first write.
func FindFolders(data string) (Folders, error) {
	config, err := os.UserConfigDir()
	if err != nil {
		return Folders{}, fmt.Errorf("there is no place for your settings: %w; set HOME", err)
	}
	if data == "" {
		data, err = dataHome(config)
	}
	if err == nil {
		data, err = filepath.Abs(data)
	}
	return Folders{Data: data, User: filepath.Join(config, folderName)}, err
}

// dataHome returns the data directory of a user whose settings are below config.
func dataHome(config string) (string, error) {
	switch runtime.GOOS {
	case "windows", "darwin": // they do not separate settings from data
		return filepath.Join(config, folderName), nil
	}
	home := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(home) { // the standard requires to ignore relative paths
		user, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place for workflows: %w; name one with --data", err)
		}
		home = filepath.Join(user, ".local", "share")
	}
	return filepath.Join(home, folderName), nil
}

// Drafts returns the folder of drafts.
func (f Folders) Drafts() string { return filepath.Join(f.User, "drafts") }

// Recent returns the file of recent workflows.
func (f Folders) Recent() string { return filepath.Join(f.User, "recent.json") }

// Tabs returns the file of open tabs.
func (f Folders) Tabs() string { return filepath.Join(f.User, "tabs.json") }

func (f Folders) workflows() string { return filepath.Join(f.Data, "workflows") }
func (f Folders) runs() string      { return filepath.Join(f.Data, "runs") }
func (f Folders) state() string     { return filepath.Join(f.Data, "state") }
func (f Folders) accounts() string  { return filepath.Join(f.User, "accounts") }
func (f Folders) keys() string      { return filepath.Join(f.User, "servers") }
func (f Folders) servers() string   { return filepath.Join(f.User, "servers.json") }

// filesOf returns the directory that relative file names in workflows are based on: the
// working directory, as for svc run. If that is the root of the disk, as for programs started
// from a menu, it is the user's home.
func filesOf() (string, error) {
	dir, err := os.Getwd()
	home, homeErr := os.UserHomeDir()
	switch {
	case err == nil && dir != filepath.VolumeName(dir)+string(filepath.Separator):
		return dir, nil
	case homeErr == nil:
		return home, nil
	}
	return dir, err
}
