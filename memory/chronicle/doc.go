// Package chronicle keeps one small file for each closed session, its episode, and one for each thing that was said in
// it, its turns, so that any of them can be read without the session's log.
//
// Both are derived: [Of] makes them from the log, and the same log makes the same bytes. They stand under the folder of
// the record, where their ids say: episodes/YYYY/MM/DD/<session>.json and turns/YYYY/MM/DD/<session>.e<seq>.json, by the
// date in UTC that the session's id begins with. An id without one has its files under 0000/00/00. A month that has
// passed can be packed into YYYY/MM.zip, which any unzip reads; what stands beside a pack as a file of its own is newer
// than what the pack holds under the same name.
//
// Everything a member wrote is a turn, whatever it was asked: a position, a contribution, the reasons for a ballot, a
// draft. So is what a person wrote into a ruling. A phrase that was said can then always be found again, and nobody has
// to remember which kinds of saying were left out. It costs a file for each reply: about 50 in a session of three members
// and five rounds, 1,100 in one of nine and sixty, and [Store.Pack] takes them together.
//
// Reads may happen at any time. What changes something waits for whoever else does, by the lock .chronicle.lock.
package chronicle
