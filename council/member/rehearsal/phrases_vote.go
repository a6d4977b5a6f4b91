package rehearsal

var yesFor = []string{
	"My condition was {need}, and it is met.",
	"It holds what I asked for in {mine}: {need}.",
	"With {need} written into it I can stand behind this.",
	"I asked for {need}; here it is.",
	"My point of {mine} is part of it, so my vote is simple.",
	"I would have worded it otherwise, but it brings {need}.",
	"{Need}: that is what I came for.",
	"It can be held to {need}, and so can we.",
	"After {mine} I could hardly refuse {need}.",
	"It took up {need}, which makes the rest bearable.",
}

var yesAnyway = []string{
	"It does not say much on {about}, but it can be carried out.",
	"I miss {need}; still, the direction is right, and that can follow.",
	"I give up {need} for today, because the rest is worth having.",
	"Not my motion in every word, and good enough: {needs}.",
	"I could ask for more on {about}. I would rather see this done.",
	"The debate has earned a decision, and {needs} is a decent one.",
	"I have nothing against {needs}, and waiting would not improve it.",
	"It leaves {about} to others, which I can live with.",
	"For the sake of a clear result: yes, even without {need}.",
	"On {about} I shall keep asking; on the motion I say yes.",
}

var yesMover = []string{
	"It is my motion, and the debate has not shaken it.",
	"I moved it, and would move it again.",
	"I stand by what I moved in {e}.",
	"My own words, and I have heard nothing that would change them.",
	"I moved it because I think that it can be carried out as it stands.",
	"Having moved it, I need add nothing to {e}.",
}

var noMissing = []string{
	"There is no word in it on {about}. With {need} I would vote for it.",
	"In {mine} I asked for {need}, and the motion passes over it.",
	"As long as it lacks {need}, {without}.",
	"I cannot vote for this without {need}.",
	"It is close. What I miss is {need}.",
	"One thing is not there, and it is the one I asked for: {need}.",
	"What it says I could sign. What it does not say is {need}, and so {without}.",
	"{Need} is missing, and I said in {mine} why that matters.",
	"Add {need}, and you have my vote.",
	"It answers the others. To me it owes {need}.",
	"On {about} it leaves us where we were; I would need {need}.",
}

var noStance = []string{
	"It goes further than I would. I might follow it with {need}.",
	"It is too early for that, unless there is also {need}.",
	"I would take a smaller step than that; {need} would be a beginning.",
	"The conditions are right and the conclusion is not; {need} would change my mind.",
	"I read the same lines and come to another answer. What could move me is {need}.",
}

var noCautious = []string{
	"It holds back more than the text obliges us to. I might accept it with {need}.",
	"That is too little, unless it comes with {need}.",
	"It puts off what we could decide today; {need} would make the delay worth it.",
	"I would go further. If we must wait, then at least with {need}.",
	"We know more than that motion admits. I would want {need} in it.",
}

var abstains = []string{
	"I cannot judge it without {need}, and will not stand in its way.",
	"It serves others well and is silent on {about}. I would need {need} to say yes.",
	"Half of me agrees. The other half waits for {need}.",
	"I neither want to stop it nor to answer for it while {need} is missing.",
	"I leave this to those whom it concerns more; for a yes I would ask for {need}.",
	"No objection, and no conviction either without {need}.",
	"I hold my vote back for {need}.",
}

var draftYes = []string{
	"The document says what we decided, and {need} has its place in it.",
	"I looked for {need} and found it under “{section}”.",
	"“{section}” holds {need}. I approve.",
	"It reports me fairly, and {need} is in “{section}”.",
	"I can be held to every line of it, “{section}” included.",
	"What I asked for, {need}, is written down; the rest is true to the debate.",
	"Read against the record, it holds; “{section}” has what I looked for.",
	"I would hand this to somebody who was not here; they would find {need} under “{section}”.",
}

var draftAnyway = []string{
	"It is a fair account. On {about} I should have liked more.",
	"The document does not need {need} to be true, and it is true.",
	"I approve it as a record of what we decided, not as the last word on {about}.",
	"Complete enough to act on, though thin on {about}.",
	"I have a wish left, {need}, but no objection.",
	"It says what was said. That is what I ask of a document; {about} can follow in another.",
	"Good enough to be read tomorrow; {about} deserves a second edition.",
}

var draftFixed = []string{
	"My blocker {blocker} is answered: {need} now stands under “{section}”.",
	"{blocker} is settled, and I have no other.",
	"“{section}” was changed as I asked in {blocker}.",
	"This version has {need}, which the last one lacked.",
	"I asked for a change in {blocker} and got it; I approve.",
	"With {blocker} out of the way the document has my vote.",
	"The leader took up {blocker}. {Need} is where a reader would look for it.",
}

var draftNo = []string{
	"Nothing in it promises {need}. Whoever reads only the document will not know that {without}.",
	"It reports the decision and leaves out {need}.",
	"I do not find {need}, and without it {without}.",
	"A reader who was not here learns nothing of {need} from this.",
	"The document is shorter than the debate by one thing: {need}.",
	"I would sign it with one more sentence, on {need}.",
	"On {about} it has no commitment, only a mention. I ask for {need}.",
	"It is well told and incomplete: {need} is missing.",
	"As written, {without}; the document should hold {need}.",
}

var draftNoLine = []string{
	"My vote rests on {ref}, and the document does not show it.",
	"{ref} is not quoted, and without it nobody sees why I asked for what I asked.",
	"It tells what we decided and leaves out the line that moved me, {ref}.",
	"I miss {ref}. Whoever reads this should see the same page as we did.",
	"The conditions are there. The ground is not: {ref}.",
	"I cannot put my name to it while {ref} is left out.",
}

var draftFixedLine = []string{
	"{blocker} is answered: {ref} is quoted now.",
	"With {ref} in it the document shows what I saw.",
	"The line I asked for in {blocker} is there.",
	"I wanted {ref} on the page, and it is on the page.",
	"After {blocker} the account is whole.",
}

var draftAbstains = []string{
	"I would approve it with {need}, and do not object without.",
	"It is nobody's fault that {need} fell out; I abstain until it is back.",
	"True, as far as it goes, and it does not go as far as {need}.",
	"I can neither praise nor block it while {need} is absent.",
	"Somebody else must judge whether {about} can be left out.",
}
