// Unified diffs. The shortest edit script is found with the greedy algorithm of E. Myers, "An O(ND) difference
// algorithm and its variations" (1986), after the common first and last lines were removed.
#include "cockpit/line_diff.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define CONTEXT 3u
#define MAX_EDITS 1000 // above this number of inserted and removed lines, the differing range is replaced as a whole

typedef struct line_t {
  const char *text;
  size_t bytes; // including its '\n', which only the last line may lack
} line_t;

typedef struct lines_t {
  ARRAY(line_t) list;
} lines_t;

// A step of the edit script: ' ' keeps a line of both strings, '-' removes one of `a`, '+' inserts one of `b`.
typedef struct edit_step_t {
  char kind;
  uint32_t a, b; // number of lines of each text before this step
} edit_step_t;

typedef struct differ_t {
  allocator_t *memory;
  lines_t a, b;
  ARRAY(edit_step_t) steps;
} differ_t;

static void split_lines(differ_t *x, lines_t *out, const char *text, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const char *end = memchr(text + at, '\n', bytes - at);
    size_t length = end ? (size_t)(end - (text + at)) + 1 : bytes - at;
    array_push(x->memory, &out->list, ((line_t){text + at, length}));
    at += length;
  }
}

static bool are_lines_equal(const differ_t *x, uint32_t a, uint32_t b) {
  line_t p = x->a.list.items[a], q = x->b.list.items[b];
  return p.bytes == q.bytes && memcmp(p.text, q.text, p.bytes) == 0;
}

static void push_steps(differ_t *x, char kind, uint32_t *a, uint32_t *b, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    array_push(x->memory, &x->steps, ((edit_step_t){kind, *a, *b}));
    *a += kind != '+';
    *b += kind != '-';
  }
}

// The range of differing lines: `n` lines of a and `m` lines of b after `first` common lines. furthest[d][k + d] is the
// number of lines of a that the furthest path with d edits consumes on diagonal k.
typedef struct range_t {
  uint32_t first, n, m;
  int32_t *furthest[MAX_EDITS + 1];
} range_t;

// Returns true if the path to diagonal k takes its last edit from diagonal k + 1 (an insertion).
static bool is_insertion(const int32_t *last, int d, int k) {
  return k == -d || (k != d && last[k - 1 + d - 1] < last[k + 1 + d - 1]);
}

// Returns the number of edits of the shortest script; -1 if it is larger than MAX_EDITS.
static int count_edits(differ_t *x, range_t *r) {
  int n = (int)r->n, m = (int)r->m;
  for (int d = 0; d <= MAX_EDITS; ++d) {
    int32_t *now = r->furthest[d] = alloc_resize(x->memory, NULL, 0, (size_t)(2 * d + 1) * sizeof *now);
    const int32_t *last = d > 0 ? r->furthest[d - 1] : NULL;
    for (int k = -d; k <= d; k += 2) {
      int i = d == 0 ? 0 : is_insertion(last, d, k) ? last[k + 1 + d - 1] : last[k - 1 + d - 1] + 1;
      while (i < n && i - k < m && i - k >= 0 &&
             are_lines_equal(x, r->first + (uint32_t)i, r->first + (uint32_t)(i - k)))
        ++i;
      now[k + d] = i;
      if (i >= n && i - k >= m)
        return d;
    }
  }
  return -1;
}

// Writes the steps from the end of the range to its start into `kinds`. Returns their number.
static uint32_t trace_back(const range_t *r, int d, char *kinds) {
  uint32_t count = 0;
  int i = (int)r->n, k = (int)r->n - (int)r->m;
  for (; d > 0; --d) {
    const int32_t *last = r->furthest[d - 1];
    bool inserts = is_insertion(last, d, k);
    int before = inserts ? last[k + 1 + d - 1] : last[k - 1 + d - 1];
    for (int start = before + !inserts; i > start; --i)
      kinds[count++] = ' ';
    kinds[count++] = inserts ? '+' : '-';
    i = before;
    k += inserts ? 1 : -1;
  }
  for (; i > 0; --i)
    kinds[count++] = ' ';
  return count;
}

static void add_range(differ_t *x, range_t *r, uint32_t *a, uint32_t *b) {
  int edits = count_edits(x, r);
  if (edits < 0) {
    push_steps(x, '-', a, b, r->n);
    push_steps(x, '+', a, b, r->m);
  } else {
    size_t bytes = (size_t)r->n + r->m + 1;
    char *kinds = alloc_resize(x->memory, NULL, 0, bytes);
    for (uint32_t i = trace_back(r, edits, kinds); i > 0; --i)
      push_steps(x, kinds[i - 1], a, b, 1);
    alloc_resize(x->memory, kinds, bytes, 0);
  }
  for (int d = 0; d <= (edits < 0 ? MAX_EDITS : edits); ++d)
    alloc_resize(x->memory, r->furthest[d], (size_t)(2 * d + 1) * sizeof **r->furthest, 0);
}

static void compute_steps(differ_t *x) {
  uint32_t n = x->a.list.count, m = x->b.list.count, first = 0, last = 0, a = 0, b = 0;
  while (first < n && first < m && are_lines_equal(x, first, first))
    ++first;
  while (last < n - first && last < m - first && are_lines_equal(x, n - 1 - last, m - 1 - last))
    ++last;
  push_steps(x, ' ', &a, &b, first);
  range_t r = {.first = first, .n = n - first - last, .m = m - first - last};
  add_range(x, &r, &a, &b);
  push_steps(x, ' ', &a, &b, last);
  shoal_assert(a == n && b == m, "the edit script covers %u and %u of %u and %u lines", a, b, n, m);
}

// --- hunks

static void write_range(json_writer_t *out, char sign, uint32_t first, uint32_t count) {
  char text[48];
  int bytes = count == 1 ? snprintf(text, sizeof text, "%c%u", sign, first + 1)
                         : snprintf(text, sizeof text, "%c%u,%u", sign, count ? first + 1 : first, count);
  json_write_bytes(out, text, (size_t)bytes);
}

static void write_hunk(const differ_t *x, json_writer_t *out, uint32_t begin, uint32_t end) {
  const edit_step_t *steps = x->steps.items;
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
    line_t line = steps[i].kind == '+' ? x->b.list.items[steps[i].b] : x->a.list.items[steps[i].a];
    json_write_bytes(out, &steps[i].kind, 1);
    json_write_bytes(out, line.text, line.bytes);
    if (line.text[line.bytes - 1] != '\n')
      json_write_text(out, "\n\\ No newline at end of file\n");
  }
}

static void write_hunks(const differ_t *x, json_writer_t *out) {
  const edit_step_t *steps = x->steps.items;
  for (uint32_t i = 0, count = x->steps.count; i < count;) {
    while (i < count && steps[i].kind == ' ')
      ++i;
    if (i == count)
      return;
    uint32_t begin = i > CONTEXT ? i - CONTEXT : 0, end = i;
    for (uint32_t kept = 0; i < count && kept <= 2 * CONTEXT; ++i) {
      kept = steps[i].kind == ' ' ? kept + 1 : 0;
      end = kept ? end : i + 1;
    }
    i = end;
    write_hunk(x, out, begin, end + CONTEXT < count ? end + CONTEXT : count);
  }
}

void line_diff_write(json_writer_t *out, const char *name, const char *before, size_t before_bytes, const char *after,
                     size_t after_bytes) {
  differ_t x = {.memory = out->allocator};
  shoal_assert(name && after, "name and after must not be NULL");
  if (before && before_bytes == after_bytes && memcmp(before, after, after_bytes) == 0)
    return;
  split_lines(&x, &x.a, before, before ? before_bytes : 0);
  split_lines(&x, &x.b, after, after_bytes);
  compute_steps(&x);
  json_write_text(out, before ? "--- a/" : "--- /dev/null");
  json_write_text(out, before ? name : "");
  json_write_text(out, "\n+++ b/");
  json_write_text(out, name);
  json_write_text(out, "\n");
  write_hunks(&x, out);
  array_free(x.memory, &x.steps);
  array_free(x.memory, &x.a.list);
  array_free(x.memory, &x.b.list);
}
