// Unified diffs of two strings, line by line.
#ifndef SHOAL_COCKPIT_LINE_DIFF_H
#define SHOAL_COCKPIT_LINE_DIFF_H

#include "base/json_writer.h"

// Appends the unified diff from `old_text` to `new_text` with three lines of context, as `diff -u` and `git diff` print
// it. Appends nothing if the contents are equal. `old_text` is NULL for a file that is created, `new_text` for a file
// that is removed. Lines are compared as bytes, so a line whose ending has changed counts as changed. The diff is
// minimal unless a minimal diff removes and adds more than 1,000 lines in total. It then replaces the lines from the
// first to the last difference.
void line_diff_write(json_writer_t *out, const char *name, const char *old_text, size_t old_bytes, const char *new_text,
                     size_t new_bytes);

#endif
