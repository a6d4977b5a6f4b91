// Package episodes keeps episodes and turns as files in the folder of the record, where their ids say:
// episodes/YYYY/MM/DD/<session>.json and turns/YYYY/MM/DD/<session>.e<seq>.json, by the date in UTC that the session's
// id begins with. An id without one has its files under 0000/00/00.
//
// A month that has passed can be packed into YYYY/MM.zip, which any unzip reads. What stands beside a pack as a file of
// its own is newer than what the pack holds under the same name.
//
// All of it is derived, so it is written without fsync: a process that is killed leaves every file old or new, and a
// machine that loses its power may leave some empty, which are then named and can be made again. Packs are synced.
//
// Reads may happen at any time. What changes something waits for whoever else does, by the lock .chronicle.lock.
package episodes
