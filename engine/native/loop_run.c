// Runs compiled loops: where their columns lie, blocks of rows that lie elsewhere, workers.
#include "base/assert.h"
#include "ecs/world.h"
#include "native/gather.h"
#include "native/loop_internal.h"
#include "process/jobs.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 }; // rows that are looked at together, whether they lie one behind the other

// Columns of one component, all of whose rows are in the query, may be gone through as they lie, where rows have
// nothing to do with each other and none is Lua's.
static bool runs_as_it_lies(const native_loop_o *l) {
  uint32_t manager = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const slot_t *s = &l->slots[i];
    if (!s->view || s->far || s->rows_themselves || s->manager == 0 || (manager != 0 && s->manager != manager))
      return false;
    manager = s->manager;
  }
  return !l->stops && l->at_once > 1 && manager > 0 &&
         world_manager(l->query->world, manager)->count == l->query->count;
}

// → is any of the columns?
static bool find_mapped(native_loop_o *l) {
  bool any = false;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    slot_t *s = &l->slots[i];
    s->mapped = s->view && s->view->rows && !s->rows_themselves && !s->far;
    any |= s->mapped;
  }
  if (!any || !runs_as_it_lies(l))
    return any;
  for (uint32_t i = 0; i < l->slot_count; ++i)
    l->slots[i].mapped = false;
  return false;
}

// Where a component has no rows, none is asked for: the code reads its row 0 in its place.
static _Alignas(64) uint8_t nothing[64];

static void give_whole(native_loop_o *l, uint32_t i) {
  manager_o *m = world_manager(l->query->world, l->slots[i].manager);
  uint32_t column = l->slots[i].column;
  l->call.columns[i] = m->count > 0 ? m->data[column] : nothing;
  l->call.marks[i] = m->count > 0 && world_tracks_touched(l->query->world) ? columns_marks(&m->columns, column) : NULL;
}

// What the code reads of any row: where there are no rows, it asks for none.
static void give_any(native_loop_o *l, uint32_t i) {
  const slot_t *s = &l->slots[i];
  if (!s->far)
    give_whole(l, i);
  else if (s->rows_themselves)
    l->call.columns[i] = s->view->count > 0 ? (void *)(uintptr_t)s->view->rows : NULL;
  else
    l->call.columns[i] = s->view->count > 0 ? s->view->data : nothing;
}

static uint8_t *data_of(const slot_t *s) {
  shoal_assert(!s->rows_themselves || s->view->rows, "a query with rows does not say which has an optional component");
  return s->rows_themselves ? (uint8_t *)(uintptr_t)s->view->rows : s->view->data;
}

static void need_scratch(slot_t *s) {
  if (!s->scratch) {
    s->scratch = aligned_alloc(64, (size_t)NATIVE_BLOCK * s->bytes);
    s->scratch_marks = aligned_alloc(64, NATIVE_BLOCK);
  }
  shoal_assert(s->scratch && s->scratch_marks, "no memory for a block of rows");
}

// Rows of a block: those of `rows`, or the first of `from` and those behind it.
static void copy_in(slot_t *s, const uint8_t *from, const uint32_t *rows, uint32_t count, uint32_t at_once) {
  need_scratch(s);
  if (rows)
    rows_gather(s->scratch, from, rows, s->bytes, count);
  else
    memcpy(s->scratch, from, (size_t)count * s->bytes);
  for (; count % at_once != 0; ++count) // more rows like the last one, which no one wants
    memcpy(s->scratch + (size_t)count * s->bytes, s->scratch + (size_t)(count - 1) * s->bytes, s->bytes);
  memset(s->scratch_marks, 0, count);
}

static void copy_out(const slot_t *s, uint8_t *to, uint8_t *marks, const uint32_t *rows, uint32_t done) {
  if (rows)
    rows_scatter(to, s->scratch, rows, s->bytes, done);
  else
    memcpy(to, s->scratch, (size_t)done * s->bytes);
  for (uint32_t k = 0; marks && k < done; ++k)
    marks[rows ? rows[k] : k] |= s->scratch_marks[k];
}

// How many rows of a column the code may touch, from row `*from` of what it is given.
static uint32_t touched(const native_loop_o *l, uint32_t i, uint32_t first, uint32_t end, uint32_t *from) {
  const slot_t *s = &l->slots[i];
  *from = s->view && !s->far ? first : 0;
  if (s->view && !s->far)
    return (end - first + l->at_once - 1) / l->at_once * l->at_once;
  if (l->call.columns[i] == nothing)
    return 1;
  if (s->far && (s->rows_themselves || !s->view->rows))
    return s->view->count;
  return world_manager(l->query->world, s->manager)->count;
}

// The code has copies, and nothing beside them may be touched: guard.h.
static int64_t call_guarded(native_loop_o *l, uint32_t first, uint32_t end) {
  native_call_t given = l->call, before;
  guard_o *g = l->set->guard;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    uint32_t from, bytes = l->slots[i].bytes, count = touched(l, i, first, end, &from);
    bool written = l->slots[i].written;
    uint8_t *data = given.columns[i], *marks = given.marks[i];
    if (data)
      given.columns[i] =
          (uint8_t *)guard_lend(g, data + (size_t)from * bytes, (size_t)count * bytes, written) - (size_t)from * bytes;
    given.marks[i] = marks && written ? (uint8_t *)guard_lend(g, marks + from, count, true) - from : NULL;
  }
  before = given;
  int64_t done = l->entry(&given, first, end);
  memcpy(l->call.parameters, given.parameters, sizeof given.parameters);
  memcpy(before.parameters, given.parameters, sizeof given.parameters);
  if (memcmp(&before, &given, sizeof given) != 0)
    abort();
  guard_take_back(g);
  return done;
}

static uint32_t call(native_loop_o *l, uint32_t first, uint32_t end) {
  int64_t done = l->set->guard ? call_guarded(l, first, end) : l->entry(&l->call, first, end);
  shoal_assert(done >= first && done < (int64_t)end + l->at_once, "%lld rows of %u are done", (long long)done, end);
  return done < end ? (uint32_t)done : end; // rows behind the end were copies
}

static void give_back(const slot_t *s, uint32_t first, uint32_t done) {
  const column_view_t *v = s->view;
  uint32_t at = s->mapped ? 0 : first;
  copy_out(s, (uint8_t *)v->data + (size_t)at * s->bytes, v->marks ? v->marks + at : NULL,
           s->mapped ? v->rows + first : NULL, done);
}

// Rows of which some columns, or all, are copied to where vectors may read and write them whole; a block of no whole
// number of vectors has copies of all. `straight`: rows lie one behind the other in each column. → how many are done.
static uint32_t run_block(native_loop_o *l, uint32_t first, uint32_t count, bool straight) {
  bool all = count % l->at_once != 0;
  l->call.base = first;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    slot_t *s = &l->slots[i];
    if (!s->view || s->far) {
      give_any(l, i);
      continue;
    }
    bool copied = all || (s->mapped && !straight);
    uint32_t row = s->mapped ? s->view->rows[first] : first;
    if (copied && s->mapped)
      copy_in(s, s->view->data, s->view->rows + first, count, l->at_once);
    else if (copied)
      copy_in(s, data_of(s) + (size_t)first * s->bytes, NULL, count, l->at_once);
    l->call.columns[i] = copied ? s->scratch : data_of(s) + (size_t)row * s->bytes;
    l->call.marks[i] = !s->view->marks ? NULL : copied ? s->scratch_marks : s->view->marks + row;
  }
  uint32_t done = call(l, 0, count);
  for (uint32_t i = 0; i < l->slot_count; ++i)
    if (l->slots[i].written && l->slots[i].view && (all || (l->slots[i].mapped && !straight)))
      give_back(&l->slots[i], first, done);
  return done;
}

static void run_part(void *context, uint32_t part, uint32_t worker) {
  const native_loop_o *l = context;
  int64_t first = (int64_t)part * l->part_rows, end = first + l->part_rows;
  (void)worker;
  l->entry(&l->call, first, end < l->part_end ? end : l->part_end);
}

// Parts begin at multiples of 64 rows: no two workers write to one cache line.
static void share_out(native_loop_o *l, jobs_o *jobs, uint32_t rows) {
  l->part_rows = (rows / (jobs_workers(jobs) * 4) / 64 + 1) * 64;
  l->part_end = rows;
  jobs_run(jobs, run_part, l, (rows - 1) / l->part_rows + 1);
}

// Rows from `first` to `end`, which are whole vectors.
static uint32_t run_in_place(native_loop_o *l, uint32_t first, uint32_t end) {
  l->call.base = 0;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    if (!l->slots[i].view || l->slots[i].far) {
      give_any(l, i);
      continue;
    }
    l->call.columns[i] = data_of(&l->slots[i]);
    l->call.marks[i] = l->slots[i].view->marks;
  }
  jobs_o *jobs = world_jobs(l->query->world);
  bool shares = !l->stops && !l->set->guard && first == 0 && end >= NATIVE_SPLIT_ROWS;
  if (shares && jobs_workers(jobs) > 1) {
    share_out(l, jobs, end);
    return end;
  }
  return call(l, first, end);
}

// How many of the next rows are done in one go: whole vectors, or what is left of them.
static uint32_t step(const native_loop_o *l, uint32_t at, uint32_t rows) {
  uint32_t most = rows - at;
  return most >= l->at_once ? most / l->at_once * l->at_once : most;
}

// Do CHUNK rows from `at` on, and those from `from` up to there, lie one behind the other in each column?
static bool lies_straight(const native_loop_o *l, uint32_t from, uint32_t at) {
  const uint32_t *before = NULL;
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    const uint32_t *rows = l->slots[i].mapped ? l->slots[i].view->rows : before;
    if (rows == before) // columns of one component have one map
      continue;
    uint32_t other = 0, begin = rows[from] + (at - from);
    for (uint32_t k = 0; k < CHUNK; ++k)
      other |= rows[at + k] ^ (begin + k);
    if (other != 0)
      return false;
    before = rows;
  }
  return true;
}

// Most maps are straight but for a few rows, whose entities have had another life. → how many of the next rows are so,
// or are not.
static uint32_t stretch(const native_loop_o *l, uint32_t at, uint32_t rows, bool *straight) {
  *straight = rows - at >= CHUNK && CHUNK % l->at_once == 0 && lies_straight(l, at, at);
  if (rows - at < CHUNK)
    return step(l, at, rows);
  uint32_t count = CHUNK;
  while (rows - at - count >= CHUNK && (*straight || count < NATIVE_BLOCK) &&
         lies_straight(l, *straight ? at : at + count, at + count) == *straight)
    count += CHUNK;
  return count;
}

uint32_t native_loop_run(native_loop_o *l, uint32_t first) {
  uint32_t rows = l->query->count, at = first;
  shoal_assert(native_loop_is_ready(l) && l->query->open > 0, "the loop of %s runs and is not ready", l->system);
  bool mapped = find_mapped(l);
  for (bool goes_on = true; goes_on && at < rows;) {
    bool straight = false;
    uint32_t count = mapped ? stretch(l, at, rows, &straight) : step(l, at, rows), end = at + count;
    at = mapped || count < l->at_once ? at + run_block(l, at, count, straight) : run_in_place(l, at, end);
    goes_on = at == end;
  }
  l->runs += first == 0;
  l->left += first > 0 ? first - l->stopped : 0;
  l->stopped = at;
  l->rows += at - first;
  return at;
}

bool native_loop_is_brief(native_loop_o *l) {
  return !l->stops && l->at_once > 1 && l->query->count < NATIVE_SPLIT_ROWS && native_loop_is_ready(l);
}

// The rows behind the last whole vector, of columns that begin where the call says.
static void run_last(native_loop_o *l, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < l->slot_count; ++i) {
    slot_t *s = &l->slots[i];
    copy_in(s, (const uint8_t *)l->call.columns[i] + (size_t)first * s->bytes, NULL, count, l->at_once);
    l->starts[i] = l->call.columns[i];
    l->start_marks[i] = l->call.marks[i];
    l->call.columns[i] = s->scratch;
    l->call.marks[i] = l->start_marks[i] ? s->scratch_marks : NULL;
  }
  l->call.base = first;
  call(l, 0, count);
  for (uint32_t i = 0; i < l->slot_count; ++i)
    if (l->slots[i].written)
      copy_out(&l->slots[i], (uint8_t *)l->starts[i] + (size_t)first * l->slots[i].bytes,
               l->start_marks[i] ? l->start_marks[i] + first : NULL, NULL, count);
}

static bool ran_straight(native_loop_o *l) {
  uint32_t rows = straight_look(&l->straight, l->call.columns, l->call.marks), whole = rows & ~(l->at_once - 1);
  if (rows == 0)
    return false;
  l->call.base = 0;
  if (whole > 0)
    call(l, 0, whole);
  if (whole < rows)
    run_last(l, whole, rows - whole);
  l->runs++;
  l->rows += rows;
  l->stopped = rows;
  return true;
}

void native_loop_run_all(native_loop_o *l, int32_t dt, float dt_s) {
  shoal_assert(dt < (int32_t)l->parameter_count, "parameter %d of %u is the time", dt, l->parameter_count);
  if (dt >= 0)
    l->call.parameters[dt] = (double)dt_s;
  l->alone++;
  if (ran_straight(l))
    return;
  query_open(l->query);
  native_loop_run(l, 0);
  shoal_assert(l->stopped == l->query->count, "%u rows of %u are done by code that leaves none", l->stopped,
               l->query->count);
  query_close(l->query);
}
