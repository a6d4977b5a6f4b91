package rehearsal

// The texts of motions. {needs} is what must be there: "(1) a …; (2) a …".
var (
	frames = []string{
		"That the council judge every answer to {question} by whether it brings {needs}.",
		"That the council hold whatever answers {question} against these points: {needs}.",
		"That an answer to {question} be ripe for a vote only when it comes with {needs}.",
	}
	narrows = []string{
		"That the council carry no more than this into the decision on {question}: {needs}.",
		"That what is decided on {question} contain {needs}; all else is left to those who do the work.",
		"That the council narrow {question} down to what can be had with {needs}.",
	}
	answers = map[form]map[stance][]string{
		proposal: {
			goAhead: {"That the council agree to {action}, on condition that there is {needs}."},
			trial:   {"That the council agree to {action} in one small step first, and decide about the rest when it has seen the result; and that before that step there be {needs}."},
			wait:    {"That the council agree not to {action} for now, and take the question up again when there is {needs}."},
		},
		verdict: {
			goAhead: {"That the council answer {question} with a yes, which holds as long as there is {needs}."},
			trial:   {"That the council answer {question} with a yes for a first, small part, and with an open verdict on the rest until there is {needs}."},
			wait:    {"That the council answer {question} with: not as it stands, but when there is {needs}."},
		},
		choice: {
			goAhead: {"That the council choose {a} over {b}, on condition that there is {needs}."},
			trial:   {"That the council begin with {a}, keep {b} within reach until the first result is in, and see to it that there is {needs}."},
			wait:    {"That the council choose neither {a} nor {b} before there is {needs}."},
		},
		open: {
			goAhead: {"That the council answer {question} from what is written, starting with {q}, and complete it with {needs}."},
			trial:   {"That the council give {question} a first answer that starts with {q}, and call it final only when there is {needs}."},
			wait:    {"That the council leave {question} open, take {q} as the one thing it is sure of, and come back when there is {needs}."},
		},
	}
	resting = []string{
		"It was drawn up with {q} in view.",
		"Of all that was read out, {q} weighed most with the mover.",
		"It keeps {q} in sight.",
		"It is meant as an answer to {q}, among other things.",
	}
	upholding = []string{
		"What was settled in {e} stays in force.",
		"It adds to what was carried in {e}, and takes nothing back.",
		"The points of {e} hold as before.",
	}
	amending = []string{
		"It takes up what stood in the way of {title}, with {points}.",
		"After {title} failed, it adds {points}, as was asked for {votes}.",
		"It differs from {title} by {points}, which were missed {votes}.",
	}
)

// titles of motions, by what they do.
var (
	frameTitles  = []string{"What an answer has to bring", "Criteria for the answer", "How the answer will be judged"}
	narrowTitles = []string{"What goes into the decision", "The points that the decision must settle", "A narrower question"}
)

// What is decided if a motion carries.
var (
	frameDecisions = []string{
		"From here on an answer that lacks one of these points is not put to a vote.",
		"The next phase measures every proposal against these points, and no others are added without a motion.",
		"These points are the yardstick; whoever speaks for an answer says how it meets them.",
	}
	decisions = map[stance][]string{
		goAhead: {
			"The work begins, and it begins with this: {step}",
			"It is done, in this order. First: {step} What follows waits for that.",
			"We go ahead. The first entry on the list is: {step}",
		},
		trial: {
			"One small step is taken and looked at; nothing larger starts before the council has seen the result. Before it: {step}",
			"A trial begins when this is done: {step} The rest of the question stays open until then.",
			"We try it small. First: {step}",
		},
		wait: {
			"Nothing is changed for now. The question comes back to the council when this is done: {step}",
			"The matter rests, with one task: {step} After that it is on the table again.",
			"We wait, and use the time: {step}",
		},
	}
)

var secondsFor = []string{
	"It contains what I asked for in {mine}, so I want it voted on.",
	"It takes up {need}, which was my point in {mine}.",
	"I may not vote for it, but it says something on {about}, and that deserves an answer.",
	"We have talked long enough to hear where everybody stands.",
	"Better a clear no than another round; let it be voted on.",
	"{mover} has put into words what the last round kept circling.",
	"I want to see counted who stands for {needs}.",
	"I want to hear what the others say to {needs}.",
	"Whatever becomes of it, {mover}'s text makes us say yes or no to {needs}.",
	"It is concrete enough to fail, and that is reason enough to vote.",
}

var secondsAgainst = []string{
	"It is silent on {about}, and I would rather hear more before a vote.",
	"Too early for me: nobody has answered {mine} yet.",
	"I asked for {need}, and do not find it; let somebody improve the text first.",
	"I would not stop it, but I will not carry it either while it passes over {about}.",
	"{mover} may be right, but a vote now would close a debate that has not reached {about}.",
	"Without a word on {about} I leave this to others to second.",
	"The text has {needs}, and not {need}.",
	"Let somebody else second what leaves out {need}.",
	"My point in {mine} is not in it, so it is not my motion.",
}
