// Package endpoint is what the kinds of members that reach a model server over HTTP have in common: its address and
// credentials, what it was found not to take, and what its errors mean.
package endpoint
