package cli

import (
	"errors"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"github.com/council-engine/council/workspace/site"
)

// bothGiven matches what the flag library says of flags that exclude each other.
var bothGiven = regexp.MustCompile(`^if any flags in the group .* \[(\S+) (.+)\] were all set$`)

// PlainFlags returns the errors of the flag library in plain words.
func PlainFlags(err error) error {
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return site.Refuse("--"+value.GetFlag().Name+" is "+KindWords(value.GetFlag())+", not "+site.Quote(
			value.GetValue()),
			"Nothing was done.")
	}
	if err == nil {
		return nil
	}
	if both := bothGiven.FindStringSubmatch(err.Error()); both != nil {
		return site.Refuse("--"+both[1]+" and --"+strings.ReplaceAll(both[2], " ", " and --")+" exclude each other",
			"Leave one of them out.")
	}
	return err
}
