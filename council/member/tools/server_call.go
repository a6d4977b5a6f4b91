package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/schemas"
)

// mostSchema is the size in bytes of the largest schema that arguments are held against.
const mostSchema = 64 << 10

// call calls a tool if its arguments fit the schema that the server gives for it.
func (s *server) call(ctx context.Context, name string, arguments []byte, most int) output {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reach(ctx); err != nil {
		return failure("%v.", err)
	}
	t, err := s.find(strings.TrimPrefix(name, s.settings.Name+"."))
	if err != nil {
		return failure("It was not called: %v.", err)
	}
	unfit, err := held(t, arguments)
	if unfit != nil {
		err = fmt.Errorf("the arguments do not fit: %s %s", unfit.Pointer, strings.TrimSuffix(unfit.Problem, "."))
	}
	if err != nil {
		return failure("It was not called: %v. Ask %s what it takes.", err, council.ToolDescribe)
	}
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return s.lost(err)
	}
	if result.NeedsInput() {
		return failure("It asks for input of a person, which it is not given here.")
	}
	answer := told(result, most)
	answer.failed = result.IsError
	return answer
}

// lost returns the output of a call that failed. A server that may have died, or may still be busy with an abandoned
// call, is reached afresh by the next call.
func (s *server) lost(err error) output {
	if s.program == nil && s.session != nil {
		go s.session.Close() // a server that hangs would let us wait for its farewell, too
		s.session = nil
	}
	s.drop()
	if brokeOff(err) {
		return failure("The server %s broke off%s.", s.settings.Name, s.complaint())
	}
	return failure("The server %s failed: %s%s.", s.settings.Name, trouble(err), s.complaint())
}

// describe returns the server's description of a tool.
func (s *server) describe(ctx context.Context, own string) output {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.reach(ctx); err != nil {
		return failure("%v.", err)
	}
	t, err := s.find(own)
	if err != nil {
		return failure("It cannot be called: %v.", err)
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		schema = []byte("unknown")
	}
	return output{text: fmt.Sprintf("%s\n\nIts arguments, as JSON Schema:\n%s", t.Description, schema)}
}

// held checks arguments against the schema of a tool: it returns what is wrong with them, or why the schema cannot be
// used. Such a schema lets nothing pass.
func held(t *mcp.Tool, arguments []byte) (unfit *schemas.Error, err error) {
	text, err := json.Marshal(t.InputSchema)
	if err != nil || len(text) > mostSchema {
		return nil, errors.New("what it takes is described too long to be checked")
	}
	if err = schemas.Hold(text, arguments); errors.As(err, &unfit) {
		return unfit, nil
	}
	return nil, err
}

// told writes what a tool returned as text, as far as somebody will read it.
func told(result *mcp.CallToolResult, most int) output {
	var b strings.Builder
	for _, c := range result.Content {
		if b.Len() > most {
			return output{text: b.String(), cut: true}
		}
		switch c := c.(type) {
		case *mcp.TextContent:
			b.WriteString(c.Text)
		case *mcp.ImageContent:
			fmt.Fprintf(&b, "(an image, %s, %d bytes, which is not shown)", c.MIMEType, len(c.Data))
		case *mcp.AudioContent:
			fmt.Fprintf(&b, "(a sound, %s, %d bytes, which is not played)", c.MIMEType, len(c.Data))
		case *mcp.ResourceLink:
			fmt.Fprintf(&b, "(a link to %s)", c.URI)
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				fmt.Fprintf(&b, "%s:\n%s", c.Resource.URI, c.Resource.Text)
			}
		}
		b.WriteByte('\n')
	}
	if b.Len() == 0 && result.StructuredContent != nil {
		if text, err := json.Marshal(result.StructuredContent); err == nil {
			b.Write(text)
		}
	}
	return output{text: b.String()}
}
