-- Cards: in each tick, a deck is shuffled and dealt to eight players, whose hands are sorted and described in words.
-- plain/cards.c does the same with arrays of numbers. Run by tests/bench/run.
return { title = "Benchmark: cards" }
