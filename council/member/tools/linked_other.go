//go:build !unix

package tools

import "io/fs"

// linked returns false: this system does not count the names of a file.
func linked(fs.FileInfo) bool { return false }
