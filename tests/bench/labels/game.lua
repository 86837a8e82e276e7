-- Labels whose text changes: in each tick, the texts of all labels (`status`), or the text of one label on a board of
-- many (`note`). plain/labels.c writes the same texts, but has no layout. Run by tests/bench/run.
return { title = "Benchmark: labels", width = 1280, height = 720 }
