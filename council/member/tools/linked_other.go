//go:build !unix

package tools

import "io/fs"

// linked reports nothing here: this system does not count the names of a file with its size.
func linked(fs.FileInfo) bool { return false }
