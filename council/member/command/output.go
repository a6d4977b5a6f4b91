package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// byteOrderMark begins the output of some programs, mostly on Windows.
const byteOrderMark = "\ufeff"

// terminalText returns an output as a terminal shows it: without escape sequences, and with the last of several frames
// that were drawn on one line.
func terminalText(output []byte) string {
	text := plainText(toLineStart.Replace(string(output)))
	return strings.TrimLeft(frames(text), byteOrderMark+" \t\r\n")
}

// toLineStart makes carriage returns of the escape sequences that do the same.
var toLineStart = strings.NewReplacer("\x1b[G", "\r", "\x1b[0G", "\r", "\x1b[1G", "\r")

// plainText returns text in UTF-8 without escape sequences.
func plainText(text string) string { return hostile.Unescape(strings.ToValidUTF8(text, "\uFFFD")) }

// frames applies the carriage returns and backspaces of a text.
func frames(text string) string {
	if !strings.ContainsAny(text, "\r\b") {
		return text
	}
	var kept []rune
	line, returned := 0, false // where the last line begins; whether the next character begins it again
	for _, c := range text {
		switch {
		case c == '\r':
			returned = true
			continue
		case c == '\b':
			kept = kept[:max(line, len(kept)-1)]
			continue
		case c == '\n':
			line = len(kept) + 1
		case returned:
			kept = kept[:line]
		}
		kept, returned = append(kept, c), false
	}
	return string(kept)
}

// objects returns the JSON objects that begin a line of a text, alone or in a list, in order. It skips everything
// else. cut reports that the text ends within an object or a list.
//
// Parts of a broken object do not begin a line, or are indented. A line is read twice at most.
func objects(text string) (found []gjson.Result, cut bool) {
	for text != "" {
		if text[0] == '{' || text[0] == '[' {
			var value json.RawMessage
			d := json.NewDecoder(strings.NewReader(text))
			err := d.Decode(&value)
			var broken *json.SyntaxError
			switch {
			case err == nil:
				for _, doc := range gjson.ParseBytes(value).Array() { // an object is a list of one
					if doc.IsObject() {
						found = append(found, doc)
					}
				}
				text = text[d.InputOffset():]
				continue
			case errors.Is(err, io.ErrUnexpectedEOF):
				return found, true
			case errors.As(err, &broken): // the next object may begin on the line that broke this one
				if at := strings.LastIndexByte(text[:broken.Offset-1], '\n') + 1; at > 0 {
					text = text[at:]
					continue
				}
			}
		}
		_, text, _ = strings.Cut(text, "\n")
	}
	return found, false
}

// reasons matches a log's last word for why the model stopped.
var reasons = regexp.MustCompile(`"finish_reasons?":\s*(?:\[[^\]]*)?"(\w+)"`)

// loggedReason returns why the model stopped by the newest file of a log, or "unknown".
func loggedReason(folder string) string {
	files, _ := filepath.Glob(filepath.Join(folder, "*")) // the pattern is right
	reason := "unknown"
	if len(files) > 0 {
		text, _ := os.ReadFile(files[len(files)-1])
		for _, match := range reasons.FindAllSubmatch(text, -1) {
			reason = string(match[1])
		}
	}
	return reason
}

// sizeOf describes an output without quoting it: it may be a sealed position or a ballot.
func sizeOf(output []byte) string {
	size := plural.Things(len(output), "byte")
	if docs, cut := objects(terminalText(output)); len(docs) > 0 || cut {
		size += fmt.Sprintf(" with %s", plural.Things(len(docs), "whole JSON object"))
	}
	return size
}
