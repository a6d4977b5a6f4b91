// Package chronicle makes the episode and the turns of a closed session from its log, for readers who do not want to
// read all of it. An episode is a session in a few words; a turn is one thing that was said. [Of] makes both; the same
// log yields the same. Package episodes keeps their files.
//
// Everything a member wrote is a turn, whatever it was asked: a position, a contribution, the reasons for a ballot, a
// draft. So is what a person wrote into a ruling. A phrase that was said can therefore always be found. It costs a file
// for each reply: about 50 in a session of three members and five rounds, 1,100 in one of nine and sixty; packs take
// them together.
//
// Everything here is pure: there are no files, clocks or randomness.
package chronicle
