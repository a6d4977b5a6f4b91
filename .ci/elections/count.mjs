// Reads elections, one a line: {"options": 3, "ballots": [[1, 2, 2], [2, 1, 3]]}, where a ballot has the place of each
// option. Writes who wins each of them, one line of JSON a line: [0, 2].
import { createInterface } from 'node:readline'
import schulze from 'schulze-method'

for await (const line of createInterface({ input: process.stdin })) {
  const { options, ballots } = JSON.parse(line)
  console.log(JSON.stringify(schulze.run(options, ballots)[0].indexes))
}
