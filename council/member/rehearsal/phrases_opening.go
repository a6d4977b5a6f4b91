package rehearsal

// stances are how a member says what it would answer, by the form of the question. The slots are {action}, {a}, {b}.
var stances = map[form]map[stance][]string{
	proposal: {
		goAhead: {
			"I am for it: let us {action}.",
			"My answer is yes, we should {action}.",
			"I would {action}, and I would not wait for a perfect moment.",
			"Yes. To {action} is the better of the roads I see.",
			"Let us {action}; I have read enough to say so.",
		},
		trial: {
			"I would {action}, but in one small step first, and look before the second.",
			"Yes to a trial, not yet to the whole: let us {action} where a mistake is cheap.",
			"A small yes from me: {action} in part, and decide about the rest by what we see.",
			"I can see us {action}, one piece at a time.",
			"Half a yes: I would try it small before we {action} for good.",
		},
		wait: {
			"Not yet: I would not {action} before one thing is settled.",
			"As things stand I would wait; nothing I have read obliges us to {action} now.",
			"I lean towards no, or at least towards later.",
			"I would hold back. To {action} is quickly said.",
			"My answer today is no, and it can change.",
		},
	},
	verdict: {
		goAhead: {
			"I would answer with a yes, and say on what it rests.",
			"Yes, as far as I can see, and I shall say how far that is.",
			"My answer is yes, on conditions that I can name.",
			"I come down on the side of yes.",
			"Yes, if we also write down what makes it true.",
		},
		trial: {
			"I would give a qualified yes, for a first, small part of it.",
			"Partly: some of it holds, and some I would try first.",
			"A small yes from me, and an open question behind it.",
			"I would say yes to as much of it as we can try out.",
			"Neither yes nor no yet; a trial would tell us.",
		},
		wait: {
			"I would answer: not as it stands.",
			"My answer is no for now, and I can say what would change it.",
			"I cannot say yes to that on what I have read.",
			"Not yet, as I read it.",
			"I lean towards no until one thing is settled.",
		},
	},
	choice: {
		goAhead: {
			"Of the two I would take {a}.",
			"My choice is {a}, and I would make it now.",
			"I come down on the side of {a}.",
			"Between the two, {a} has more to show for itself.",
			"I would choose {a} and close the other door.",
		},
		trial: {
			"I lean towards {a}, but I would try it small beside {b} first.",
			"I would begin with {a}, and keep {b} within reach.",
			"A trial of {a} would tell us more than this debate; {b} can stay meanwhile.",
			"I would give {a} a month, and then look again at {b}.",
			"Tentatively {a}, one step at a time.",
		},
		wait: {
			"I would not choose yet; neither {a} nor {b} has made its case.",
			"For now I would stay with whichever we have, and ask more of both.",
			"I hold back: between {a} and {b} too much is still opinion.",
			"Not yet: I would settle what we judge by before we choose.",
			"I lean towards leaving it open a little longer.",
		},
	},
	open: {
		goAhead: {
			"Most of what we need for an answer is already written down, and I would build on it.",
			"I think that we can answer this today.",
			"The answer is nearly there; somebody has to say it plainly.",
			"I would answer it from the text, and without much ado.",
			"We know enough to begin, and I would begin.",
		},
		trial: {
			"I would answer the part that is written down, and mark the rest as open.",
			"I would try a first answer, small enough to be wrong, and improve it.",
			"A first answer is within reach; the last word is not.",
			"I would start with one part of it, and let that teach us the rest.",
			"Half of this can be answered now, and we should say which half.",
		},
		wait: {
			"I do not think that what we were given answers it yet.",
			"I would not answer before one thing is settled.",
			"I am slower here than some: the text says less than it seems to.",
			"I would first ask what a good answer has to contain.",
			"Not yet. I have more questions than sentences.",
		},
	},
}

var bareAdmissions = []string{
	"No document was given, so I have only the question to go by.",
	"Nothing was laid before us but the question; take this as opinion.",
	"I have read no document on this, because none was given.",
	"All I have is the wording of the question.",
	"There is no paper to quote from, and I say so before anything else.",
	"Without a document I argue from the question alone.",
	"What follows is opinion: no document came with the question.",
	"I had nothing to read but the topic itself.",
	"We were given a question and no document to answer it from.",
}

var grounds = []string{
	"What carries most weight for me is {q}.",
	"I take that from {q}.",
	"The line I keep coming back to is {q}.",
	"I start from {q}.",
	"It rests, for me, on {q}.",
	"My reason stands in the text: {q}.",
	"{q} settled it for me.",
	"I read {q} twice, and then I knew where I stood.",
	"The plainest ground I found is {q}.",
}

var counterweights = []string{
	"Against that stands {q}.",
	"{q} makes me careful all the same.",
	"I also read {q}, which does not fit so easily.",
	"Beside it I put {q}.",
	"The other side of it is {q}.",
	"I have not forgotten {q}.",
	"And yet: {q}.",
	"It sits next to {q}, and the two need each other.",
	"For balance I add {q}.",
}

var conditions = []string{
	"Before I vote I want to see {need}.",
	"What would settle it for me is {need}.",
	"My condition is {need}.",
	"Without {need} my support stays thin.",
	"I shall ask for {need}.",
	"I miss {need}.",
	"The price of my vote is {need}.",
	"One thing has to be there: {need}.",
	"I look for {need}, and have not found it.",
}

var nominations = []string{
	"{name} looks first at {about}, and this question turns on it: {q}.",
	"With {q} before us, I would rather be led by somebody who thinks about {about}. That is {name}.",
	"What I read points to {about}, as in {q}; {name} knows that ground.",
	"{name} should lead. {q} is a matter of {about}, and we need somebody who will not let go of it.",
	"Whoever leads must keep us at {about}; {q} says why, and {name} is the one to do it.",
	"I choose {name}, because {q} will come up again and again, and it is about {about}.",
	"{q}: somebody has to bring that into a motion, and {name} has the eye for {about}.",
	"I trust {name} to sum up fairly, and to ask about {about} when we forget, as we would with {q}.",
	"For {about} nobody is better placed than {name}; I have {q} in mind.",
}

var ownNominations = []string{
	"I offer to lead. The question turns on {about}, which is my ground: {q}.",
	"I vote for myself, and say why: {q} is about {about}, and I would keep us to it.",
	"I would take the chair, because {q} asks for somebody who thinks of {about} first.",
	"I put my own name down; {about} is what decides this, as {q} shows.",
	"With respect for the others, I would lead this one: it is about {about}, and I have read {q} closely.",
}
