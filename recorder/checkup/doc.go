// Package checkup looks through a whole workspace and names everything that is not as it should be, each with its path
// and what to do about it. Looking changes nothing; a repair does what is safe, and says what is lost by it.
package checkup
