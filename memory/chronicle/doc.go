// Package chronicle makes the episode and the turns of a closed session from its log, for readers who do not want to
// read all of it. An episode is a session in a few words; a turn is one thing that was said. [Of] makes both; the same
// log yields the same. Package episodes keeps their files.
//
// Every reply of a member is a turn, with words or without: a position, a contribution, a ballot, a draft. So is all
// that a person says who is no member: the question first, then notes and rulings. A phrase that was said can therefore
// always be found. It costs a file for each reply: about 50 in a session of three members and five rounds, 1,100 in one
// of nine and sixty; package episodes packs them when they are old. An episode names all its turns.
//
// Everything here is pure: there are no files, clocks or randomness.
package chronicle
