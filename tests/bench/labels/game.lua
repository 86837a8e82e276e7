-- Labels: the text of every label changes in each tick (`status`) or, in a board of many labels, of one (`note`).
-- plain/labels.c writes the same texts, but has no layout. Run by tests/bench/run.
return { title = "Benchmark: labels", width = 1280, height = 720 }
