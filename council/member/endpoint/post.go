package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/council/gate"
	"github.com/council-engine/council/council/prompt"
)

// protocol is one way to put a prompt to a server and to read its reply.
type protocol struct {
	apis    []string          // the names by which a charter may ask for it
	path    string            // of the call, below the base address
	headers map[string]string // further ones
	// request is the body of the call, without what the server is known not to take, and what it holds that a server may
	// not take.
	request func(*Model, prompt.Prompt) (body any, sent []feature)
	reader  func(*Model) reader
}

// reader reads the reply of a protocol, in the events of a stream or whole: some servers do not stream whatever they
// are asked.
type reader interface {
	take(event gjson.Result) error
	takeWhole(body gjson.Result) error
	// stop is why the reply ended, or [errCut] where no reason and no end mark closes it.
	stop() (prompt.Stop, error)
	shared() *reply
}

// reply holds what the readers of all protocols collect. The usage has tokens alone.
type reply struct {
	text    strings.Builder
	refusal strings.Builder
	begun   bool // the server has read the prompt
	done    bool // the server said that nothing follows
	prompt.Completion
}

func (r *reply) shared() *reply { return r }

// name notes which model answered, and by which id the server knows the call, unless a header said so.
func (r *reply) name(doc gjson.Result) {
	if model := doc.Get("model").String(); model != "" {
		r.Usage.Model = model
	}
	if r.RequestID == "" {
		r.RequestID = doc.Get("id").String()
	}
}

// post puts a prompt to the server, with the caller's key, and reads the reply.
func (m *Model) post(ctx context.Context, key string, p prompt.Prompt) (prompt.Completion, []feature, error) {
	content, sent := m.protocol.request(m, p)
	body, err := encode(content)
	if err != nil {
		return prompt.Completion{}, sent, err
	}
	req, err := http.NewRequestWithContext(gate.Calling(ctx), http.MethodPost, m.address(), bytes.NewReader(body))
	if err != nil {
		return prompt.Completion{}, sent, err
	}
	if err := m.sign(req, key); err != nil {
		return prompt.Completion{}, sent, err
	}
	res, err := m.check(m.client.Do(req))
	if err != nil {
		return prompt.Completion{}, sent, err
	}
	stream := m.stream(ctx, res)
	defer stream.Close()
	c, err := read(m.protocol.reader(m), res, stream)
	return c, sent, err
}

// sign sets the headers of a request: who calls, and those of the charter.
func (m *Model) sign(req *http.Request, key string) error {
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "council")
	for name, value := range m.protocol.headers {
		req.Header.Set(name, value)
	}
	switch {
	case key == "":
	case m.kind.KeyHeader == "" || m.bearer():
		req.Header.Set("Authorization", "Bearer "+key)
	default:
		req.Header.Set(m.kind.KeyHeader, key)
	}
	headers, err := m.headers()
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return err
}

// read reads a reply. What breaks it off matters only if that cut it; the tokens of one that broke off are returned
// too.
func read(r reader, res *http.Response, stream *stream) (prompt.Completion, error) {
	got := r.shared()
	if got.RequestID = res.Header.Get("X-Request-Id"); got.RequestID == "" {
		got.RequestID = res.Header.Get("Request-Id")
	}
	if body, whole, err := stream.whole(res); whole || err != nil {
		if err == nil && !gjson.ValidBytes(body) {
			err = errGarbled
		}
		if err == nil {
			err = r.takeWhole(gjson.ParseBytes(body))
		}
		if err != nil {
			return prompt.Completion{}, err
		}
		return completion(r)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 2*stream.event) // the stream ends with an error before
	for !got.done {
		event, ok := nextEvent(lines)
		if !ok {
			break
		}
		switch {
		case len(event) == 0: // which gateways send to keep the connection
			continue
		case bytes.Equal(event, []byte("[DONE]")): // part of one protocol; gateways send it in the others too
			r.take(gjson.Result{})
		case !gjson.ValidBytes(event):
			return prompt.Completion{Usage: got.Usage}, errGarbled
		default:
			if err := r.take(gjson.ParseBytes(event)); err != nil {
				return prompt.Completion{Usage: got.Usage}, err
			}
		}
		spoken := got.text.Len() + got.refusal.Len()
		if got.begun {
			stream.begun()
		}
		if spoken > 0 {
			stream.speaking()
		}
		if spoken > stream.limit {
			got.Text = got.text.String()
			return got.Completion, errTooLong
		}
	}
	if got.done {
		drain(res.Body)
	}
	c, err := completion(r)
	if broken := lines.Err(); err != nil && broken != nil {
		return c, fmt.Errorf("%w: %w", err, broken)
	}
	return c, err
}

// nextEvent returns the data of the next event of a stream, which an empty line ends. It is not ok at the end of the
// stream.
func nextEvent(lines *bufio.Scanner) (event []byte, ok bool) {
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			return bytes.TrimSpace(event), true
		}
		if data, is := bytes.CutPrefix(line, []byte("data:")); is {
			event = append(append(event, bytes.TrimPrefix(data, []byte(" "))...), '\n')
		}
	}
	return nil, false
}

// completion returns the whole reply.
func completion(r reader) (prompt.Completion, error) {
	got := r.shared()
	c := got.Completion
	c.Text = got.text.String()
	stop, err := r.stop()
	if err != nil {
		return c, err
	}
	c.Stop = stop
	if words := got.refusal.String(); words != "" {
		c.Stop, c.Text = prompt.StopRefusal, words
	}
	return c, nil
}

// encode returns the body of a request: JSON in which nothing is escaped that need not be.
func encode(request any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(request)
	return b.Bytes(), err
}

// said returns the error that a server tells in the midst of a reply, or nil.
func said(doc gjson.Result) error {
	if e := doc.Get("error"); e.IsObject() || e.Type == gjson.String {
		return readRejection(http.StatusOK, []byte(doc.Raw))
	}
	return nil
}

var _ io.ReadCloser = (*stream)(nil)
