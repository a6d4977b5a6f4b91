//go:build unix

package tools

import (
	"io/fs"
	"syscall"
)

// hasOtherNames reports whether a file has another name, which may be anywhere on its disk.
func hasOtherNames(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}
