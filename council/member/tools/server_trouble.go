package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// where matches the prefix that the SDK puts before an error.
var where = regexp.MustCompile(`^(?:(?:calling|sending) "[^"]*": |rejected by transport: )+`)

// trouble puts an error of a server into words for people.
func trouble(err error) string {
	var path *fs.PathError
	var program *exec.Error
	var call *url.Error
	var syntax *json.SyntaxError
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return fmt.Sprintf("the response has more than %d bytes", long.Limit)
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	case brokeOff(err):
		return "it ended without an answer"
	case errors.As(err, &syntax):
		return "what it writes is not in the form of the protocol"
	case errors.As(err, &call):
		return where.ReplaceAllString(call.Err.Error(), "")
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return "there is no such program"
	case errors.As(err, &path):
		return "the program cannot be run: " + path.Err.Error()
	case errors.As(err, &program):
		return "the program cannot be run: " + program.Err.Error()
	}
	return where.ReplaceAllString(err.Error(), "")
}

// brokeOff reports whether the server is gone.
func brokeOff(err error) bool {
	return errors.Is(err, mcp.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) ||
		errors.Is(err, syscall.EPIPE)
}
