package mcp

import "github.com/modelcontextprotocol/go-sdk/mcp"

// Over makes the server one that is reached by the transports that connect returns.
func (s *Server) Over(connect func() mcp.Transport) { s.connect = connect }
