// Package chronicle is what is kept of a closed session for those who do not want to read its log: its episode, which
// says what it came to, and its turns, each one thing that was said. [Of] makes them from the log, and the same log
// makes the same. Their files are in package episodes.
//
// Everything a member wrote is a turn, whatever it was asked: a position, a contribution, the reasons for a ballot, a
// draft. So is what a person wrote into a ruling. A phrase that was said can then always be found again, and nobody has
// to remember which kinds of saying were left out. It costs a file for each reply: about 50 in a session of three
// members and five rounds, 1,100 in one of nine and sixty; packs take them together.
//
// Nothing here knows files, clocks or randomness.
package chronicle
