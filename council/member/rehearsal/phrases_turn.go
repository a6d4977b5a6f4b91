package rehearsal

var openers = []string{
	"I begin with {q}.",
	"Let me put {q} on the table.",
	"For {about} the line that counts is {q}.",
	"Nobody has mentioned {q} so far.",
	"We should not pass over {q}.",
	"{q} deserves a moment.",
	"There is also {q}.",
	"Here is what I found on {about}: {q}.",
	"I would read one line aloud: {q}.",
	"Have a look at {q}.",
	"One sentence stays with me: {q}.",
	"My eye stopped at {q}.",
	"I have marked {q}.",
	"Please turn to {q}.",
}

var headed = []string{
	"Under “{head}” it says {q}.",
	"The part on “{head}” has {q}.",
	"“{head}” is where I would look: {q}.",
	"In “{head}” I find {q}.",
	"I have gone through “{head}”, and {q} is what I bring back.",
	"“{head}” contains more than its title says: {q}.",
	"Somebody should have read “{head}” before me. It says {q}.",
	"Let us go back to “{head}”: {q}.",
}

var towards = []string{
	"For {item}: {q}.",
	"My piece of {item} is {q}.",
	"Towards {item} I offer {q}.",
	"As to {item}, I rely on {q}.",
	"When we write {item}, {q} belongs in it.",
	"{item} should rest on {q}.",
	"I was thinking of {item} when I read {q}.",
	"We owe {item} in this phase, and {q} is a start.",
	"On {item} the text gives us {q}.",
}

// readings are what one can say of a passage by its tone.
var readings = map[tone][]string{
	rules: {
		"That is a promise, and promises are where a council should look first.",
		"It is put as a rule; I should like to know what enforces it.",
		"A sentence as certain as that should name who stands behind it.",
		"If that holds without exception, half of our worries are smaller than we think.",
		"The wording leaves no room, so a single exception would break it.",
		"Rules like this are cheap to write and dear to keep.",
		"I would hold the authors to that word by word.",
		"It is the strictest line on the page, and perhaps the most useful.",
		"Either that is tested, or it is hope.",
	},
	intends: {
		"That is an intention, and not yet a fact.",
		"It says what is meant to be; what is there today is another matter.",
		"Plans of that kind age quickly unless somebody owns them.",
		"I read it as a wish until I see when, and by whom.",
		"The verb is in the future, and so is the proof.",
		"Good, if it happens; our decision should not lean on it before it does.",
		"It points in the right direction without saying how far.",
	},
	doubts: {
		"The text itself is not sure here, and neither am I.",
		"Somebody left a door open in that sentence.",
		"The careful wording tells me that it was not tried.",
		"It hedges, which is honest, and leaves the work to us.",
		"That is possible, not certain, and the difference matters to our decision.",
		"I count that as an open question with a full stop behind it.",
	},
	counts: {
		"There is a figure in it, and a figure can be checked.",
		"At last a number; when was it taken, and on what?",
		"That number will be quoted back to us, so we had better know where it comes from.",
		"Numbers like that are the easiest part of a text to test and the first to go stale.",
		"I would rather argue about that figure than about adjectives.",
		"It commits itself to a quantity, which I like.",
		"Somebody counted, and I take that seriously.",
	},
	limits: {
		"It says as much about what is left out as about what is there.",
		"A limit stated so openly is worth more than a feature.",
		"I like that it says no to something.",
		"What it excludes will be asked for within a month; we should know our answer.",
		"That is a fence, and I want to know which side we are on.",
		"The negative in it is the informative part.",
	},
	asks: {
		"The author left that open, and it is fair to ask us to close it.",
		"A question in a document is a piece of work that nobody has taken yet.",
		"I should like us to answer that rather than walk past it.",
		"It has been standing there unanswered long enough.",
	},
	orders: {
		"That is an instruction; it works for as long as somebody follows it.",
		"It tells people what to do, and not what happens when they do not.",
		"As an instruction it is clear enough; has anybody followed it from a clean start?",
		"An instruction is a promise that the other side keeps its part.",
		"I would try that line on somebody who has never seen it.",
		"It is an order to the reader, so the reader should be asked whether it works.",
	},
	claims: {
		"I take it as the author's word; nobody here has checked it.",
		"It is stated plainly, and plain statements can be held to.",
		"That is the part of the picture that I would build on.",
		"If it is true, it settles more than it seems to.",
		"I see no reason to doubt it, and one reason to write it into our decision.",
		"So much we may take as given, until somebody shows otherwise.",
		"It is easy to nod at that and hard to say what follows.",
		"That sentence carries weight, and it stands alone.",
		"It describes how things are; our question is whether they should stay so.",
		"Read slowly, that decides more than the paragraphs around it.",
		"I believe it, and I would still ask for the second witness.",
		"What follows from it for us is not written there; that is our part.",
		"That is how its author sees it, and I have no better view.",
		"I would keep that in front of us whatever we decide.",
	},
}

var raises = []string{
	"So I ask for {need}; otherwise {without}.",
	"What is missing is {need}.",
	"Could we agree on {need}? If not, {without}.",
	"My condition: {need}.",
	"Whatever we decide has to come with {need}, because else {without}.",
	"That calls for {need}.",
	"Until there is {need}, {without}.",
	"Let the record show that I asked for {need}.",
	"I would feel better with {need}; as it is, {without}.",
	"It takes {need}, no more and no less.",
	"Give me {need}, and I am with you.",
	"I propose {need}. Leave it out, and {without}.",
}

// insists are for a demand that an earlier phase passed over.
var insists = []string{
	"In {e} I asked for {need}, and I ask again.",
	"What I asked for in {e} has not been answered: {need}.",
	"The last phase passed over {need}, which I asked for in {e}; {without}.",
	"I come back to {e}. We still lack {need}.",
	"{e} is still open, as far as I am concerned: {need}.",
}

// answers take up what a peer asked for, or quoted. They are grouped by how close the concern is to the speaker's own.
var (
	supports = []string{
		"In {e} {peer} asks for {theirs}, and I support that.",
		"I am with {peer} on {e}, and {theirs} is worth the trouble.",
		"{peer} is right in {e}; {theirs} costs little and answers much.",
		"What {peer} wants in {e}, {theirs}, I want too, for a reason of my own.",
		"I can add something to what {peer} said in {e} about {theirs}.",
		"Count me in on {theirs}, as {peer} put it in {e}.",
	}
	doubting = []string{
		"{peer} wants {theirs}, in {e}; I doubt that we can have it before we decide.",
		"I hear {peer} in {e}, but {theirs} alone settles nothing.",
		"I ask {peer}, on {e}, who would do it. It does not happen by itself, {theirs}.",
		"I am less sure than {peer} in {e}, for {theirs} takes time that nobody has named.",
		"{peer} and I differ on {e}. {theirs} comes after the decision for me, not before it.",
		"Does {theirs} really stand between us and an answer, as {peer} has it in {e}? I think not.",
	}
	dependingOn = []string{
		"I can accept {theirs}, as {peer} proposes in {e}, if it does not come alone.",
		"{peer}'s point in {e} holds on one condition.",
		"My answer to {peer} on {e} is yes to {theirs}, provided that it is not the only thing we ask.",
		"I go half way with {peer}, as far as {theirs} in {e}, and want something beside it.",
		"For {peer} in {e} it is {theirs}; for me that is one half of the matter.",
		"I would trade with {peer}, and give {theirs}, as in {e}, against one thing for me.",
	}
	besides = []string{
		"{peer} relies on {ref} in {e}. I set another line beside it: {q}.",
		"I read {ref} less kindly than {peer} did in {e}, because of {q}.",
		"The line that {peer} took from {ref} in {e} is one thing; {q} is another, and weighs as much.",
		"{peer} quoted {ref} in {e}. Read on, and there is {q}.",
		"What {peer} brought in {e} from {ref} looks different next to {q}.",
		"Since {peer} opened {ref} in {e} I have also found {q}.",
		"To what {peer} read out in {e} I would add {q}; {ref} does not say it all.",
	}
	listening = []string{
		"I have listened to {peer} in {e}, and it leaves me with a question of my own.",
		"What {peer} said in {e} I would look at from another side.",
		"{peer} has a point in {e}; I come to it by way of {about}.",
		"After {peer} in {e} I looked again at {about}.",
	}
)

// links tie a reply to what the speaker asked for itself.
var links = []string{
	"It goes well with {need}, which I asked for in {mine}.",
	"Together with my point of {mine}, {need}, it would make a motion.",
	"I would put {need} first, as I said in {mine}, and this second.",
	"Neither is worth much without the other. My part of it, in {mine}, was {need}.",
	"Side by side with {need} ({mine}) I can see it work.",
}

// revisits go back to a line that was quoted before.
var revisits = []string{
	"I go back to {ref}, which {peer} read to us in {e}; for {about} it says more than it was used for.",
	"{peer} has quoted {ref} in {e}, and I have nothing stronger.",
	"For me, too, it is {ref}, as quoted in {e}.",
	"We have had {ref} before us since {e}. It also bears on {about}.",
	"Read {ref} once more, with {about} in mind; {peer} brought it in {e}.",
	"The page has no more to give than {ref}, from {e}, and that is enough for my point.",
}

var revisitsTowards = []string{
	"For {item} I go back to {ref}, which {peer} read to us in {e}.",
	"{item} can be built on {ref}, quoted in {e}.",
	"As to {item}: {ref} has been before us since {e}.",
	"Towards {item} I would use {ref} again; {peer} brought it in {e}.",
	"{peer} quoted {ref} in {e}. It belongs to {item} as well.",
}

var evidenceFor = []string{
	"{q} is on our side there.",
	"The text bears that out: {q}.",
	"I find {q}, which fits.",
	"{q} says why.",
	"It agrees with {q}.",
	"As witness I call {q}.",
	"See also {q}.",
}

var evidenceAgainst = []string{
	"{q} is what holds me back.",
	"Against it I hold {q}.",
	"I should first like to hear what becomes of {q}.",
	"{q} pulls the other way.",
	"The text gives me pause: {q}.",
	"Before that I would deal with {q}.",
}

var reminders = []string{
	"We agreed in {e} on {wants}; what is left is the question itself.",
	"The motion carried in {e} gives us our measure: {wants}. Now for the answer.",
	"With {e} behind us, {wants} is no longer in dispute.",
	"What we settled in {e}, {wants}, I take as given from here.",
}

var passes = []string{
	"What I had to say stands in {mine}, and nothing since has changed it.",
	"I have no new passage to bring, and will not repeat {mine}.",
	"My point is in the record at {mine}; I give the time to the others.",
	"I wait for a motion. Until then {mine} says it for me.",
	"Nothing to add to {mine}.",
	"I could only say {mine} again in other words.",
	"Listening is more use than speaking now; {mine} stands.",
}

var passesAfter = []string{
	"The motion is carried in {e}; I have nothing to add to it.",
	"We have our resolution in {e}, and I would leave it at that.",
	"After {e} there is nothing left that I would reopen.",
	"It was decided in {e}. I yield my time.",
	"{e} settles what I cared about in this phase.",
	"I would not talk longer about what {e} has decided.",
}

var silences = []string{
	"I have nothing to say that the documents would bear out.",
	"I would only guess, so I pass.",
	"No passage speaks to me on this yet.",
	"I leave the floor to those who have something to show.",
}
