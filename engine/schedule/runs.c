// Finds runs by comparing the owners of rows: stretches in which those of all components are the same.
#include "schedule/runs.h"

#include "base/array.h"
#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

#define MOST_TIMES 4u // as many rows of the rarest component as the query has: more take too long to look through
#define COMPARED 256u // owners at a time

void row_runs_fini(row_runs_t *r) {
  free(r->runs);
  for (uint32_t i = 0; i < QUERY_MAX_TERMS; ++i)
    free(r->listed[i]);
  *r = (row_runs_t){.runs = NULL};
}

// The rarest component that all of its entities have; NULL where that is not all that it asks for.
static const query_term_t *find_lead(const query_o *q) {
  const query_term_t *lead = NULL;
  for (uint32_t i = 0; i < q->term_count; ++i) {
    const query_term_t *t = &q->terms[i];
    if (t->role == QUERY_WITHOUT)
      continue;
    if (t->role != QUERY_WITH || t->manager->schema.kind != SCHEMA_COMPONENT)
      return NULL;
    lead = lead && lead->manager->count <= t->manager->count ? lead : t;
  }
  return lead;
}

static uint64_t count_moves(const query_o *q) {
  uint64_t moves = 0;
  for (uint32_t i = 0; i < q->term_count; ++i)
    moves += q->terms[i].manager->moves;
  return moves;
}

static uint32_t count_same(const shoal_entity *a, const shoal_entity *b, uint32_t most) {
  uint32_t same = 0;
  while (most - same >= COMPARED && memcmp(a + same, b + same, COMPARED * sizeof *a) == 0)
    same += COMPARED;
  while (same < most && a[same] == b[same])
    ++same;
  return same;
}

static uint32_t count_without(const manager_o *m, const shoal_entity *entities, uint32_t most) {
  uint32_t count = m->count > 0 ? 0 : most;
  while (count < most && manager_row(m, entities[count]) == ROW_NONE)
    ++count;
  return count;
}

// How many entities from this row of `lead` on match and lie side by side in all components; and where.
static uint32_t run_from(const query_o *q, const manager_o *lead, uint32_t row, uint32_t *at) {
  uint32_t count = lead->count - row;
  const shoal_entity *entities = lead->owner + row;
  for (uint32_t i = 0; i < q->term_count && count > 0; ++i) {
    const manager_o *m = q->terms[i].manager;
    if (q->terms[i].role == QUERY_WITHOUT) {
      count = count_without(m, entities, count);
      continue;
    }
    at[i] = m == lead ? row : manager_row(m, *entities);
    if (at[i] == ROW_NONE)
      return 0;
    uint32_t most = m->count - at[i] < count ? m->count - at[i] : count;
    count = m == lead ? count : count_same(entities, m->owner + at[i], most);
  }
  return count;
}

static void *grow(void *memory, size_t bytes) {
  void *grown = realloc(memory, bytes);
  if (!grown)
    abort();
  return grown;
}

static void add_run(row_runs_t *r, const uint32_t *at, uint32_t count) {
  if (r->run_count == r->run_capacity) {
    r->run_capacity = r->run_capacity ? r->run_capacity * 2 : 4;
    r->runs = grow(r->runs, r->run_capacity * sizeof *r->runs);
  }
  row_run_t *run = &r->runs[r->run_count++];
  run->first = r->in_runs;
  run->count = count;
  memcpy(run->at, at, sizeof run->at);
  r->in_runs += count;
}

static void list_rows(row_runs_t *r, const query_o *q, const uint32_t *at, uint32_t count) {
  uint32_t listed = r->count - r->in_runs;
  if (listed + count > r->listed_capacity) {
    r->listed_capacity = (listed + count) * 2;
    for (uint32_t i = 0; i < q->term_count; ++i)
      if (q->terms[i].role == QUERY_WITH)
        r->listed[i] = grow(r->listed[i], r->listed_capacity * sizeof **r->listed);
  }
  for (uint32_t i = 0; i < q->term_count; ++i)
    for (uint32_t k = 0; k < count && q->terms[i].role == QUERY_WITH; ++k)
      r->listed[i][listed + k] = at[i] + k;
}

static void build(row_runs_t *r, const query_o *q, const manager_o *lead) {
  uint32_t at[QUERY_MAX_TERMS] = {0}, least = r->least_run ? r->least_run : RUNS_LEAST_RUN;
  r->count = r->in_runs = r->run_count = 0;
  for (uint32_t row = 0, count; row<lead->count; row += count> 0 ? count : 1) {
    count = run_from(q, lead, row, at);
    if (count >= least)
      add_run(r, at, count);
    else if (count > 0)
      list_rows(r, q, at, count);
    r->count += count;
  }
  shoal_assert(r->count == q->count, "query %u has %u rows, and %u were found", q->id, q->count, r->count);
}

bool row_runs_look(row_runs_t *r, const query_o *q) {
  shoal_assert(q->open > 0, "the rows of query %u, which is closed", q->id);
  uint32_t least = r->least_rows ? r->least_rows : RUNS_LEAST_ROWS;
  const query_term_t *lead = q->id != 0 && q->count >= least && !query_hides(q) ? find_lead(q) : NULL; // 0: over pairs
  if (!lead || lead->manager->count / MOST_TIMES > q->count)
    return false;
  uint64_t moves = count_moves(q), seen = r->seen;
  bool lay_anyhow = r->built && r->in_runs < r->count / 2;
  r->seen = moves;
  if (r->built && r->moves == moves)
    return true;
  if (lay_anyhow && seen != moves)
    return false;
  build(r, q, lead->manager);
  r->moves = moves;
  r->built = true;
  return true;
}

static const row_run_t *run_of(const row_runs_t *r, uint32_t row) {
  uint32_t from = 0, end = r->run_count;
  while (end - from > 1) {
    uint32_t middle = from + (end - from) / 2;
    if (r->runs[middle].first <= row)
      from = middle;
    else
      end = middle;
  }
  return &r->runs[from];
}

row_span_t row_runs_span(const row_runs_t *r, uint32_t first, uint32_t most) {
  shoal_assert(first + most <= r->count, "rows %u to %u of %u", first, first + most, r->count);
  row_span_t span = {.count = most};
  if (first >= r->in_runs) {
    span.from = first - r->in_runs;
    span.rows = (const uint32_t *const *)r->listed;
    return span;
  }
  const row_run_t *run = run_of(r, first);
  span.from = first - run->first;
  span.at = run->at;
  span.count = run->count - span.from < most ? run->count - span.from : most;
  return span;
}
