package render

import "github.com/council-engine/council/council"

// reminders returns the memory of a session, with words in every place that a model may have filled.
func reminders(words string) []council.Reminder {
	return []council.Reminder{
		{Left: 2, Records: []council.Remembered{
			{ID: "r-loop", Kind: "open_loop", Summary: words, Detail: words, Date: "2025-11-02"},
			{ID: "r-decision", Kind: "decision", Summary: words, Date: "2025-10-12"},
		}},
		{Member: ada, Records: []council.Remembered{{ID: "r-ada", Kind: "lesson", Summary: words, Date: "2025-11-02"}}},
		{
			Member:  curie,
			Left:    1,
			Records: []council.Remembered{{ID: "r-curie", Kind: "constraint", Summary: words, Date: "2025-11-02"}},
		},
	}
}

// remembered returns a session with memory: it settles an open loop, and names a record that no member was given.
func remembered() *scribe {
	s := newScribe(topic, charter("anthropic"), reminders("Whether the queue may lose a message is open.")...)
	s.note("", council.MemoryRecalled{Query: "queue write disk acknowledge", Hits: []council.Recollection{
		{ID: "20250210-090000-lost-mail-2k9d.e14", Kind: council.RecalledTurn, Session: "20250210-090000-lost-mail-2k9d",
			Speaker: "George Boole", Date: "2025-02-10", Text: "We lost forty messages:\n\n- all of them acknowledged\n- " +
				"none of them written"},
		{ID: "r-old", Kind: council.RecalledRecord, Date: "2024-07-01", Text: "Disks are cheap."},
	}})
	s.nominate(ada, ada, "I know the code.").nominate(boole, ada, "She does.").nominate(curie, ada, "Yes.")
	s.note("", council.LeaderElected{
		Leader: ada, Ranking: []council.MemberID{ada, boole, curie}, Votes: []council.CandidateVotes{{Candidate: ada,
			Votes: 3}},
	})
	s.enter("explore", "Find the options.", "").startRound(1)
	s.says(ada, "r-loop is still open, and e2 says what it cost.").passes(boole, "Agreed.").passes(curie, "Agreed.")
	s.ends(council.EndRoundLimit, "")
	s.note(ada, council.PhaseAssessed{Answered: s.answered(council.AskAssess, ada), Assessment: council.Assessment{
		Deliverables: []council.Claim{{ID: "options", Claim: "There is one.", Citations: []string{"e9"}, Met: true}},
		Constraints:  []string{"No acknowledged message is lost.", "The median stays under 5 ms."},
	}})
	s.note("", council.PhaseEnded{
		Phase: "explore", Reason: council.EndRoundLimit, Assessed: true,
		Deliverables: []council.Finding{
			{ID: "options", Status: council.FindingComplete, Required: true, Citations: []string{"e9"}},
		},
	})
	s.summarises(ada, council.Summary{
		SummaryMarkdown: "The queue writes first.",
		Settles: []council.Settlement{
			{Record: "r-loop", How: council.SettledResolved, Because: "It may not lose any."},
			{Record: "r-ada", How: council.SettledSuperseded},
			{Record: "r-curie", How: council.SettledResolved, Because: "She was reminded of it, not the leader."},
		},
	})
	return s.closes(
		council.Outcome{Ended: council.SessionCompleted, Leader: ada, Documentation: council.DocumentationNone},
	)
}
