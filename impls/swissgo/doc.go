// Package swissgo is the backend on Go's own map: no library, a Swiss table
// since Go 1.24.
//
// How a hash map comes to find the nearest session and cluster at or below, by
// blocks of IDs and prefixes of UUIDs, how it stays right when a session's UUIDs
// cross a prefix, and what it costs, is said in package hashindex, of which this
// is the map. An entry takes 17 bytes by number and 25 by prefix, in slots of
// which seven sixteenths to seven eighths are full; it grows in pieces of 1,024.
//
// Every map has a random seed, so that nobody can foresee which keys collide. A
// Go map's order differs from run to run: none is ever iterated here.
package swissgo
