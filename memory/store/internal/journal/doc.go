// Package journal is the order of what changed memory: one line a step, each chained to the one before, appended and
// never written again.
//
//	{"format":1,"n":2,"at":"…","session":{…},"standing":{"latest":"…","books":{"COUNCIL":2,"ada":2}},"sum":"…"}
//
// Every line says what the journal up to it comes to, so that its end is enough to go on: how new the newest step is,
// and which step concerned each book last. That is as long as there are owners, however many steps there are.
package journal
