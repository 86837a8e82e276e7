// Unified diffs. The shortest edit script is found with the greedy algorithm of E. Myers, "An O(ND) difference
// algorithm and its variations" (1986), after stripping the common leading and trailing lines.
#include "cockpit/line_diff.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define CONTEXT 3u
// Maximum number of inserted and removed lines. If there are more, the differing range is replaced as a whole.
#define MAX_EDITS 1000

typedef struct line_t {
  const char *text;
  size_t bytes; // length including the line's '\n', which only the last line may lack
} line_t;

typedef struct lines_t {
  ARRAY(line_t) list;
} lines_t;

// A step of the edit script: ' ' keeps a line of both strings, '-' removes a line of `a`, '+' inserts a line of `b`.
typedef struct edit_step_t {
  char kind;
  uint32_t a, b; // number of lines of each text before this step
} edit_step_t;

typedef struct diff_t {
  allocator_t *memory;
  lines_t a, b;
  ARRAY(edit_step_t) steps;
} diff_t;

static void split_lines(diff_t *diff, lines_t *out, const char *text, size_t bytes) {
  for (size_t offset = 0; offset < bytes;) {
    const char *end = memchr(text + offset, '\n', bytes - offset);
    size_t length = end ? (size_t)(end - (text + offset)) + 1 : bytes - offset;
    array_push(diff->memory, &out->list, ((line_t){text + offset, length}));
    offset += length;
  }
}

static bool are_lines_equal(const diff_t *diff, uint32_t a, uint32_t b) {
  line_t p = diff->a.list.items[a], q = diff->b.list.items[b];
  return p.bytes == q.bytes && memcmp(p.text, q.text, p.bytes) == 0;
}

static void push_steps(diff_t *diff, char kind, uint32_t *a, uint32_t *b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    array_push(diff->memory, &diff->steps, ((edit_step_t){kind, *a, *b}));
    *a += kind != '+';
    *b += kind != '-';
  }
}

// The range of differing lines: `n` lines of a and `m` lines of b after `first_line` common lines. furthest[d][k + d]
// is the number of lines of a that the furthest path with d edits consumes on diagonal k.
typedef struct range_t {
  uint32_t first_line, n, m;
  int32_t *furthest[MAX_EDITS + 1];
} range_t;

// Returns true if the path to diagonal k takes its last edit from diagonal k + 1 (an insertion).
static bool is_insertion(const int32_t *previous, int d, int k) {
  return k == -d || (k != d && previous[k - 1 + d - 1] < previous[k + 1 + d - 1]);
}

// Returns the number of edits in the shortest script, or -1 if it is larger than MAX_EDITS.
static int count_edits(diff_t *diff, range_t *range) {
  int n = (int)range->n, m = (int)range->m;
  for (int d = 0; d <= MAX_EDITS; ++d) {
    int32_t *current = range->furthest[d] = alloc_resize(diff->memory, NULL, 0, (size_t)(2 * d + 1) * sizeof *current);
    const int32_t *previous = d > 0 ? range->furthest[d - 1] : NULL;
    for (int k = -d; k <= d; k += 2) {
      int i = d == 0 ? 0 : is_insertion(previous, d, k) ? previous[k + 1 + d - 1] : previous[k - 1 + d - 1] + 1;
      while (i < n && i - k < m && i - k >= 0 &&
             are_lines_equal(diff, range->first_line + (uint32_t)i, range->first_line + (uint32_t)(i - k)))
        ++i;
      current[k + d] = i;
      if (i >= n && i - k >= m)
        return d;
    }
  }
  return -1;
}

// Writes the steps from the end of the range to its start into `kinds`. Returns their number.
static uint32_t trace_back(const range_t *range, int d, char *kinds) {
  uint32_t count = 0;
  int i = (int)range->n, k = (int)range->n - (int)range->m;
  for (; d > 0; --d) {
    const int32_t *previous = range->furthest[d - 1];
    bool is_insert = is_insertion(previous, d, k);
    int previous_i = is_insert ? previous[k + 1 + d - 1] : previous[k - 1 + d - 1];
    for (int start = previous_i + !is_insert; i > start; --i)
      kinds[count++] = ' ';
    kinds[count++] = is_insert ? '+' : '-';
    i = previous_i;
    k += is_insert ? 1 : -1;
  }
  for (; i > 0; --i)
    kinds[count++] = ' ';
  return count;
}

static void add_range(diff_t *diff, range_t *range, uint32_t *a, uint32_t *b) {
  int edits = count_edits(diff, range);
  if (edits < 0) {
    push_steps(diff, '-', a, b, range->n);
    push_steps(diff, '+', a, b, range->m);
  } else {
    size_t bytes = (size_t)range->n + range->m + 1;
    char *kinds = alloc_resize(diff->memory, NULL, 0, bytes);
    for (uint32_t i = trace_back(range, edits, kinds); i > 0; --i)
      push_steps(diff, kinds[i - 1], a, b, 1);
    alloc_resize(diff->memory, kinds, bytes, 0);
  }
  for (int d = 0; d <= (edits < 0 ? MAX_EDITS : edits); ++d)
    alloc_resize(diff->memory, range->furthest[d], (size_t)(2 * d + 1) * sizeof **range->furthest, 0);
}

static void compute_steps(diff_t *diff) {
  uint32_t n = diff->a.list.count, m = diff->b.list.count, prefix_count = 0, suffix_count = 0, a = 0, b = 0;
  while (prefix_count < n && prefix_count < m && are_lines_equal(diff, prefix_count, prefix_count))
    ++prefix_count;
  while (suffix_count < n - prefix_count && suffix_count < m - prefix_count &&
         are_lines_equal(diff, n - 1 - suffix_count, m - 1 - suffix_count))
    ++suffix_count;
  push_steps(diff, ' ', &a, &b, prefix_count);
  range_t range = {
      .first_line = prefix_count, .n = n - prefix_count - suffix_count, .m = m - prefix_count - suffix_count};
  add_range(diff, &range, &a, &b);
  push_steps(diff, ' ', &a, &b, suffix_count);
  shoal_assert(a == n && b == m, "the edit script covers %u and %u of %u and %u lines", a, b, n, m);
}

// --- hunks

static void write_range(json_writer_t *out, char sign, uint32_t first_line, uint32_t count) {
  char text[48];
  int bytes = count == 1 ? snprintf(text, sizeof text, "%c%u", sign, first_line + 1)
                         : snprintf(text, sizeof text, "%c%u,%u", sign, count ? first_line + 1 : first_line, count);
  json_write_bytes(out, text, (size_t)bytes);
}

static void write_hunk(const diff_t *diff, json_writer_t *out, uint32_t begin, uint32_t end) {
  const edit_step_t *steps = diff->steps.items;
  uint32_t removed = 0, inserted = 0;
  for (uint32_t i = begin; i < end; ++i) {
    removed += steps[i].kind != '+';
    inserted += steps[i].kind != '-';
  }
  json_write_text(out, "@@ ");
  write_range(out, '-', steps[begin].a, removed);
  json_write_text(out, " ");
  write_range(out, '+', steps[begin].b, inserted);
  json_write_text(out, " @@\n");
  for (uint32_t i = begin; i < end; ++i) {
    line_t line = steps[i].kind == '+' ? diff->b.list.items[steps[i].b] : diff->a.list.items[steps[i].a];
    json_write_bytes(out, &steps[i].kind, 1);
    json_write_bytes(out, line.text, line.bytes);
    if (line.text[line.bytes - 1] != '\n')
      json_write_text(out, "\n\\ No newline at end of file\n");
  }
}

static void write_hunks(const diff_t *diff, json_writer_t *out) {
  const edit_step_t *steps = diff->steps.items;
  for (uint32_t i = 0, count = diff->steps.count; i < count;) {
    while (i < count && steps[i].kind == ' ')
      ++i;
    if (i == count)
      return;
    uint32_t begin = i > CONTEXT ? i - CONTEXT : 0, end = i;
    for (uint32_t unchanged_count = 0; i < count && unchanged_count <= 2 * CONTEXT; ++i) {
      unchanged_count = steps[i].kind == ' ' ? unchanged_count + 1 : 0;
      end = unchanged_count ? end : i + 1;
    }
    i = end;
    write_hunk(diff, out, begin, end + CONTEXT < count ? end + CONTEXT : count);
  }
}

void line_diff_write(json_writer_t *out, const char *name, const char *old_text, size_t old_bytes, const char *new_text,
                     size_t new_bytes) {
  diff_t diff = {.memory = out->allocator};
  shoal_assert(name, "name must not be NULL");
  if (old_text && new_text && old_bytes == new_bytes && memcmp(old_text, new_text, new_bytes) == 0)
    return;
  split_lines(&diff, &diff.a, old_text, old_text ? old_bytes : 0);
  split_lines(&diff, &diff.b, new_text, new_text ? new_bytes : 0);
  compute_steps(&diff);
  json_write_text(out, old_text ? "--- a/" : "--- /dev/null");
  json_write_text(out, old_text ? name : "");
  json_write_text(out, new_text ? "\n+++ b/" : "\n+++ /dev/null");
  json_write_text(out, new_text ? name : "");
  json_write_text(out, "\n");
  write_hunks(&diff, out);
  array_free(diff.memory, &diff.steps);
  array_free(diff.memory, &diff.a.list);
  array_free(diff.memory, &diff.b.list);
}
