//go:build !unix

package tools

import "io/fs"

// hasOtherNames returns false: this system does not count the names of a file.
func hasOtherNames(fs.FileInfo) bool { return false }
