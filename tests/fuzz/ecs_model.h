// A simple model of the ecs module that is meant to be obviously correct: arrays of structs, linear search, no caches.
// It follows the documentation in the headers; ecs_fuzz.c compares it with the module. One model per program, in static
// memory.
#ifndef SHOAL_TESTS_FUZZ_ECS_MODEL_H
#define SHOAL_TESTS_FUZZ_ECS_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSFORM = 1, NAME, TAG, HEALTH, GUN, WHEEL, SCORE, HOOKED, TURRET, DISABLED, MANAGERS = DISABLED };
enum { MAX_VALUES = 3, MAX_ROWS = 1 << 14, MAX_INDEX = 1 << 16, MAX_COMMANDS = 1 << 14, MAX_QUERIES = 32 };
enum { MAX_PARTS = 12, MAX_STATES = 3, MAX_ASSEMBLAGES = 6, MAX_BLOCKS = 8, MAX_WATCHERS = 24, MAX_EVENTS = 1 << 14 };
enum { WITH, WITHOUT, ANY, OPTIONAL };
enum { SPAWN = 1, BLOCK, DESTROY, ADD, ADD_SET, REMOVE, SET, ENTER, EMIT };
enum { HOOK_ADDED = 1, HOOK_REMOVING, HOOK_DIED };

typedef struct row_t {
  uint32_t owner, instance;
  uint64_t serial; // increases with each added row; instances are chained in this order
  double v[MAX_VALUES];
} row_t;

typedef struct rows_t {
  row_t rows[MAX_ROWS];
  uint32_t count;
  uint32_t added[MAX_ROWS]; // owners of the rows whose `added` hook is pending, in order
  uint32_t added_count;
  int32_t group; // index of the query that owns the order of the rows, or -1
} rows_t;

typedef struct kind_t {
  const char *name;
  bool many, single, hooked;
  uint32_t fields;
  char types[MAX_VALUES]; // one letter per value: f (f32), i (i32), b (u8), e (entity), s (string)
} kind_t;

static const kind_t kinds[MANAGERS + 1] = {
    [TRANSFORM] = {.name = "transform", .fields = 2, .types = "fe"},
    [NAME] = {.name = "name", .fields = 1, .types = "s"},
    // TAG and GUN are named like instances 1 and 2 because rows of `disabled` are named after components
    [TAG] = {.name = "instance1"},
    [HEALTH] = {.name = "health", .fields = 2, .types = "ib"},
    [GUN] = {.name = "instance2", .many = true, .fields = 1, .types = "f"},
    [WHEEL] = {.name = "wheel", .many = true, .fields = 2, .types = "is"},
    [SCORE] = {.name = "score", .single = true, .fields = 1, .types = "i"},
    [HOOKED] = {.name = "hooked", .hooked = true, .fields = 2, .types = "ef"},
    [TURRET] = {.name = "turret", .many = true, .hooked = true, .fields = 1, .types = "f"},
    [DISABLED] = {.name = "disabled", .many = true},
};

typedef struct model_command_t {
  int kind;
  uint32_t e, a, b, c;
  double value;
  double v[MAX_VALUES];   // used by EMIT and ADD_SET
  bool given[MAX_VALUES]; // used by ADD_SET: which values of v are set
  bool follows;           // the world merges this command with the previous one
} model_command_t;

typedef struct model_part_t {
  uint32_t manager, instance;
  double v[MAX_VALUES];
} model_part_t;

typedef struct model_template_t {
  uint32_t state;
  uint32_t count;
  model_part_t parts[MAX_PARTS];
} model_template_t;

typedef struct model_assemblage_t {
  uint32_t templates; // 1 + number of states
  model_template_t t[1 + MAX_STATES];
  uint32_t children;
  uint32_t child[2]; // indices of the children's assemblages, lower than the parent's index
} model_assemblage_t;

typedef struct model_block_t {
  uint32_t number; // the world's block number; 0: free
  uint32_t assemblage, count, depth;
  bool committed;
  uint32_t e[16];
  double v[16][2 * MAX_PARTS][MAX_VALUES];
  model_command_t descendants[256];
  uint32_t descendant_count;
} model_block_t;

typedef struct model_query_t {
  uint32_t terms;
  uint32_t manager[6];
  int role[6];
  uint32_t driver; // the `many` component that the query iterates, 0 if none
  bool group;
  uint32_t count;
  uint32_t e[MAX_ROWS], instance[MAX_ROWS];
} model_query_t;

typedef struct model_watcher_t {
  uint32_t system, query;
  uint32_t count;
  uint32_t e[MAX_ROWS];
  bool entered[MAX_ROWS];
} model_watcher_t;

typedef struct model_event_t {
  uint64_t tick;
  double v[MAX_VALUES]; // values: number, entity, cancelled
} model_event_t;

typedef struct hook_note_t {
  int hook;
  uint32_t manager, e;
} hook_note_t;

static struct {
  uint8_t generation[MAX_INDEX];
  bool alive[MAX_INDEX];
  bool is_queued[MAX_INDEX]; // the entity's spawn has not been applied
  uint32_t assemblage[MAX_INDEX], state[MAX_INDEX], died_by[MAX_INDEX], died_tick[MAX_INDEX];
  uint32_t used, alive_count;
  uint32_t fifo[MAX_INDEX];
  uint32_t fifo_count;

  rows_t m[MANAGERS + 1];
  uint64_t serial;
  model_assemblage_t assemblages[MAX_ASSEMBLAGES + 1];
  uint32_t assemblage_count;
  model_query_t queries[MAX_QUERIES];
  uint32_t query_count;
  model_watcher_t watchers[MAX_WATCHERS];
  uint32_t watcher_count;
  model_block_t blocks[MAX_BLOCKS];

  model_command_t queue[MAX_COMMANDS];
  uint32_t queued;
  uint32_t frame_by[8], frame_first[8], frames;
  bool applying, asking_died;
  uint32_t batch[MAX_ROWS], batch_by[MAX_ROWS], batch_count;

  model_event_t events[MAX_EVENTS];
  uint32_t event_count;
  uint64_t first_event;
  uint64_t next_event[4]; // indexed by reader
  uint64_t tick;
  hook_note_t notes[MAX_ROWS * 2];
  uint32_t note_count;
} model; // zero-initialised except `used`, which main sets: an initialiser here would add 16 MB to the executable

static void model_check_limit(bool good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "ecs_fuzz: the model is too small for this sequence: %s\n", what);
  exit(3);
}

static void model_record_hook(int hook, uint32_t manager, uint32_t e) {
  model_check_limit(model.note_count < MAX_ROWS * 2, "hook notes");
  model.notes[model.note_count++] = (hook_note_t){hook, manager, e};
}

// --- entities

static bool model_is_alive(uint32_t e) {
  uint32_t i = e & 0x3fffff;
  return i != 0 && i < model.used && e >> 30 == 0 && model.alive[i] && model.generation[i] == (e >> 22 & 255);
}

static uint32_t model_create(uint32_t assemblage) {
  uint32_t i;
  if (model.fifo_count > 1024 && model.tick - model.died_tick[model.fifo[0]] >= 150) {
    i = model.fifo[0];
    memmove(model.fifo, model.fifo + 1, --model.fifo_count * sizeof *model.fifo);
  } else {
    model_check_limit(model.used < MAX_INDEX, "entities");
    i = model.used++;
  }
  model.alive[i] = model.is_queued[i] = true;
  model.alive_count++;
  model.assemblage[i] = assemblage;
  const model_assemblage_t *a = &model.assemblages[assemblage];
  model.state[i] = assemblage && a->templates > 1 ? a->t[1].state : 0;
  return i | (uint32_t)model.generation[i] << 22;
}

static void model_free(uint32_t e, uint32_t by) {
  if (!model_is_alive(e))
    return;
  uint32_t i = e & 0x3fffff;
  model.alive[i] = false;
  model.alive_count--;
  model.generation[i]++;
  model.assemblage[i] = model.state[i] = 0;
  model.died_by[i] = by;
  model.died_tick[i] = (uint32_t)model.tick;
  model.fifo[model.fifo_count++] = i;
}

// --- rows

// Disables sanitizers in the model, where they would only slow down searches; the tested code remains checked.
#define UNWATCHED __attribute__((no_sanitize("address", "undefined")))

UNWATCHED static int64_t model_find(uint32_t manager, uint32_t e, uint32_t instance) {
  const rows_t *m = &model.m[manager];
  for (uint32_t i = 0; i < m->count; ++i)
    if (m->rows[i].owner == e && m->rows[i].instance == instance)
      return i;
  return -1;
}

// Returns e's first row that was added after `serial` (0: e's first row), or -1 if no such row exists.
UNWATCHED static int64_t model_after(uint32_t manager, uint32_t e, uint64_t serial) {
  const rows_t *m = &model.m[manager];
  int64_t best = -1;
  for (uint32_t i = 0; i < m->count; ++i)
    if (m->rows[i].owner == e && m->rows[i].serial > serial && (best < 0 || m->rows[i].serial < m->rows[best].serial))
      best = i;
  return best;
}

static bool model_has(uint32_t manager, uint32_t e) {
  return model_after(manager, e, 0) >= 0;
}

static void model_append(uint32_t manager, uint32_t e, uint32_t instance, const double *v) {
  rows_t *m = &model.m[manager];
  model_check_limit(m->count < MAX_ROWS, "rows");
  if (kinds[manager].hooked)
    m->added[m->added_count++] = e;
  row_t r = {.owner = e, .instance = instance, .serial = ++model.serial};
  if (v)
    memcpy(r.v, v, sizeof r.v);
  m->rows[m->count++] = r;
}

static void model_swap_erase(uint32_t manager, uint32_t row) {
  rows_t *m = &model.m[manager];
  m->rows[row] = m->rows[--m->count];
}

// --- queries and watchers

static bool model_includes_row(const model_query_t *q, uint32_t manager, uint32_t e) {
  for (uint32_t i = 0; i < q->terms; ++i)
    if (q->manager[i] == DISABLED)
      return model_has(manager, e);
  return model_has(manager, e) && model_find(DISABLED, e, 3) < 0 &&
         !(manager == TAG && model_find(DISABLED, e, 1) >= 0) && !(manager == GUN && model_find(DISABLED, e, 2) >= 0);
}

static bool model_matches(const model_query_t *q, uint32_t e) {
  bool any = false, found = false;
  for (uint32_t i = 0; i < q->terms; ++i) {
    bool has = q->role[i] == WITHOUT ? model_has(q->manager[i], e) : model_includes_row(q, q->manager[i], e);
    if ((q->role[i] == WITH && !has) || (q->role[i] == WITHOUT && has))
      return false;
    any |= q->role[i] == ANY;
    found |= q->role[i] == ANY && has;
  }
  return !any || found;
}

static void model_record_watch_entry(model_watcher_t *x, uint32_t e, bool entered) {
  if (!entered)
    for (uint32_t i = x->count; i-- > 0;) {
      if (x->e[i] != e)
        continue;
      if (!x->entered[i])
        break;
      memmove(&x->e[i], &x->e[i + 1], (x->count - i - 1) * sizeof *x->e);
      memmove(&x->entered[i], &x->entered[i + 1], (x->count - i - 1) * sizeof *x->entered);
      x->count--;
      return;
    }
  model_check_limit(x->count < MAX_ROWS, "watch notes");
  x->e[x->count] = e;
  x->entered[x->count++] = entered;
}

static int64_t model_query_row(const model_query_t *q, uint32_t e, uint32_t instance) {
  for (uint32_t i = 0; i < q->count; ++i)
    if (q->e[i] == e && (!q->driver || q->instance[i] == instance))
      return i;
  return -1;
}

UNWATCHED static bool model_in_query(const model_query_t *q, uint32_t e) {
  for (uint32_t i = 0; i < q->count; ++i)
    if (q->e[i] == e)
      return true;
  return false;
}

static bool model_owns(const model_query_t *q, uint32_t manager) {
  return q->group && model.m[manager].group == q - model.queries;
}

// Moves e's rows in all components that the group owns to `row`.
static void model_swap_owned(const model_query_t *q, uint32_t e, uint32_t row) {
  for (uint32_t i = 0; i < q->terms; ++i) {
    rows_t *m = &model.m[q->manager[i]];
    if (q->role[i] != WITH || !model_owns(q, q->manager[i]))
      continue;
    int64_t from = model_find(q->manager[i], e, 0);
    row_t r = m->rows[row];
    m->rows[row] = m->rows[from];
    m->rows[from] = r;
  }
}

static void model_query_append(model_query_t *q, uint32_t e, uint32_t instance) {
  model_check_limit(q->count < MAX_ROWS, "query rows");
  model_swap_owned(q, e, q->count);
  q->e[q->count] = e;
  q->instance[q->count++] = instance;
}

static void model_query_erase(model_query_t *q, int64_t i) {
  model_swap_owned(q, q->e[i], q->count - 1);
  q->count--;
  q->e[i] = q->e[q->count];
  q->instance[i] = q->instance[q->count];
}

static void model_notify_watchers(const model_query_t *q, uint32_t e, bool entered) {
  for (uint32_t i = 0; i < model.watcher_count; ++i)
    if (model.watchers[i].query == (uint32_t)(q - model.queries))
      model_record_watch_entry(&model.watchers[i], e, entered);
}

// Removes e's rows from a query in the order of e's instances.
static void model_leave(model_query_t *q, uint32_t e) {
  uint64_t serial = 0;
  int64_t row;
  if (!q->driver && (row = model_query_row(q, e, 0)) >= 0)
    model_query_erase(q, row);
  for (int64_t r; q->driver && (r = model_after(q->driver, e, serial)) >= 0; serial = model.m[q->driver].rows[r].serial)
    if ((row = model_query_row(q, e, model.m[q->driver].rows[r].instance)) >= 0)
      model_query_erase(q, row);
}

// Appends e's missing rows to a query in the order of e's instances.
static void model_join_query(model_query_t *q, uint32_t e) {
  uint64_t serial = 0;
  if (!q->driver && !model_in_query(q, e))
    model_query_append(q, e, 0);
  for (int64_t r; q->driver && (r = model_after(q->driver, e, serial)) >= 0; serial = model.m[q->driver].rows[r].serial)
    if (model_query_row(q, e, model.m[q->driver].rows[r].instance) < 0)
      model_query_append(q, e, model.m[q->driver].rows[r].instance);
}

// Updates e's rows in one query. The row of an instance that was just removed, if any, is erased first.
static void model_update_query(model_query_t *q, uint32_t e, uint32_t manager, int64_t gone_instance) {
  bool was = model_in_query(q, e), is = model_matches(q, e);
  int64_t gone =
      gone_instance < 0 || q->driver != manager || !q->driver ? -1 : model_query_row(q, e, (uint32_t)gone_instance);
  if (gone >= 0)
    model_query_erase(q, gone);
  if (is)
    model_join_query(q, e);
  else
    model_leave(q, e);
  if (is != was)
    model_notify_watchers(q, e, is);
}

static void model_update(uint32_t e, uint32_t manager, int64_t gone_instance) {
  for (uint32_t i = 0; i < model.query_count; ++i)
    model_update_query(&model.queries[i], e, manager, gone_instance);
}

// Adds the existing entities that match a newly created query.
static void model_fill_query(model_query_t *q) {
  uint32_t seed = q->driver;
  for (uint32_t i = 0; i < q->terms && !q->driver; ++i)
    if (q->role[i] == WITH && (!seed || model.m[q->manager[i]].count < model.m[seed].count))
      seed = q->manager[i];
  for (uint32_t i = 0; i < q->terms; ++i) {
    uint32_t manager = seed ? seed : q->manager[i];
    if (!seed && q->role[i] != ANY)
      continue;
    for (uint32_t r = 0; r < model.m[manager].count; ++r)
      if (!model_in_query(q, model.m[manager].rows[r].owner))
        model_update_query(q, model.m[manager].rows[r].owner, 0, -1);
    if (seed)
      return;
  }
}

// --- structural changes

static void model_push(model_command_t c) {
  model_check_limit(model.queued < MAX_COMMANDS, "commands");
  model.queue[model.queued++] = c;
}

static void model_flush_added(void) {
  for (uint32_t m = 1; m <= MANAGERS; ++m) {
    uint32_t count = model.m[m].added_count;
    model.m[m].added_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t e = model.m[m].added[i];
      model_record_hook(HOOK_ADDED, m, e);
      if (m == HOOKED && e % 3 == 0)
        model_push((model_command_t){.kind = ADD, .e = e, .a = TAG});
    }
  }
}

static void model_add(uint32_t manager, uint32_t e, uint32_t instance, const double *v) {
  if (model_find(manager, e, instance) >= 0)
    return;
  model_append(manager, e, instance, v);
  model_update(e, manager, -1);
}

// The entity leaves its group before its row is erased, because leaving moves the rows of all owned components.
static void model_remove_one(uint32_t manager, uint32_t e, uint32_t instance) {
  model_query_t *group = model.m[manager].group < 0 ? NULL : &model.queries[model.m[manager].group];
  if (group && model_in_query(group, e)) {
    model_query_erase(group, model_query_row(group, e, 0));
    model_notify_watchers(group, e, false);
  }
  model_swap_erase(manager, (uint32_t)model_find(manager, e, instance));
  model_update(e, manager, instance);
}

static void model_remove_rows(uint32_t manager, uint32_t e, uint32_t instance) {
  bool all = kinds[manager].many && instance == 0;
  if (all ? !model_has(manager, e) : model_find(manager, e, instance) < 0)
    return;
  model_flush_added();
  if (kinds[manager].hooked)
    model_record_hook(HOOK_REMOVING, manager, e);
  if (!all) {
    model_remove_one(manager, e, instance);
    return;
  }
  for (int64_t r; (r = model_after(manager, e, 0)) >= 0;)
    model_remove_one(manager, e, model.m[manager].rows[r].instance);
}

// Enables a component again after its removal.
static void model_enable_removed(uint32_t manager, uint32_t e) {
  if (!model_has(manager, e) && (manager == TAG || manager == GUN))
    model_remove_rows(DISABLED, e, manager == TAG ? 1 : 2);
}

static void model_remove(uint32_t manager, uint32_t e, uint32_t instance) {
  bool had = model_has(manager, e);
  model_remove_rows(manager, e, instance);
  if (had)
    model_enable_removed(manager, e);
}

static const model_part_t *model_part(const model_template_t *t, uint32_t manager, uint32_t instance) {
  for (uint32_t i = 0; i < t->count; ++i)
    if (t->parts[i].manager == manager && t->parts[i].instance == instance)
      return &t->parts[i];
  return NULL;
}

static const model_template_t *model_state(uint32_t assemblage, uint32_t state) {
  const model_assemblage_t *a = &model.assemblages[assemblage];
  for (uint32_t i = 1; i < a->templates; ++i)
    if (a->t[i].state == state)
      return &a->t[i];
  return NULL;
}

// Lists the parts of template 0, then the additional parts of the initial state. A part of both has the state's values.
static uint32_t model_list_parts(uint32_t assemblage, const model_part_t **out) {
  const model_assemblage_t *a = &model.assemblages[assemblage];
  uint32_t n = 0;
  for (uint32_t t = 0; assemblage && t < 2 && t < a->templates; ++t)
    for (uint32_t i = 0; i < a->t[t].count; ++i) {
      const model_part_t *p = &a->t[t].parts[i], *by_state = NULL;
      if (t == 1 && model_part(&a->t[0], p->manager, p->instance))
        continue;
      if (t == 0 && a->templates > 1)
        by_state = model_part(&a->t[1], p->manager, p->instance);
      out[n++] = by_state ? by_state : p;
    }
  return n;
}

static void model_enter(uint32_t e, uint32_t state) {
  uint32_t i = e & 0x3fffff, assemblage = model.assemblage[i];
  const model_template_t *to = assemblage ? model_state(assemblage, state) : NULL;
  const model_template_t *from = assemblage && model.state[i] ? model_state(assemblage, model.state[i]) : NULL;
  if (!to || model.state[i] == state)
    return;
  for (uint32_t k = 0; from && k < from->count; ++k) {
    const model_part_t *p = &from->parts[k];
    if (model_part(to, p->manager, p->instance) ||
        model_part(&model.assemblages[assemblage].t[0], p->manager, p->instance) ||
        model_find(p->manager, e, p->instance) < 0)
      continue;
    model_flush_added();
    if (kinds[p->manager].hooked)
      model_record_hook(HOOK_REMOVING, p->manager, e);
    model_remove_one(p->manager, e, p->instance);
    model_enable_removed(p->manager, e);
  }
  for (uint32_t k = 0; k < to->count; ++k) {
    const model_part_t *p = &to->parts[k], *before = from ? model_part(from, p->manager, p->instance) : NULL;
    int64_t row = model_find(p->manager, e, p->instance);
    for (uint32_t c = 0; row >= 0 && c < kinds[p->manager].fields; ++c)
      if (!before || before->v[c] != p->v[c])
        model.m[p->manager].rows[row].v[c] = p->v[c];
    if (row < 0)
      model_add(p->manager, e, p->instance, p->v);
  }
  model.state[i] = state;
}

static void model_run_spawn(const model_command_t *c) {
  model.is_queued[c->e & 0x3fffff] = false;
  const model_part_t *plan[2 * MAX_PARTS];
  uint32_t n = model_list_parts(c->a, plan);
  for (uint32_t i = 0; i < n; ++i)
    model_append(plan[i]->manager, c->e, plan[i]->instance, plan[i]->v);
  model_update(c->e, 0, -1);
  if (!c->b)
    return;
  model_add(TRANSFORM, c->e, 0, NULL);
  model.m[TRANSFORM].rows[model_find(TRANSFORM, c->e, 0)].v[1] = c->b;
  if (!model_has(NAME, c->e)) {
    model_add(NAME, c->e, 0, NULL);
    model.m[NAME].rows[model_find(NAME, c->e, 0)].v[0] = c->c;
  }
}

static void model_spawn_children(uint32_t e, uint32_t assemblage, model_command_t *list, uint32_t *count) {
  for (uint32_t i = 0; assemblage && i < model.assemblages[assemblage].children; ++i) {
    uint32_t child = model.assemblages[assemblage].child[i];
    model_command_t c = {.kind = SPAWN, .e = model_create(child), .a = child, .b = e, .c = child};
    list[(*count)++] = c;
    model_spawn_children(c.e, child, list, count);
  }
}

static model_block_t *model_block(uint32_t number) {
  for (uint32_t i = 0; i < MAX_BLOCKS; ++i)
    if (model.blocks[i].number == number && number != 0)
      return &model.blocks[i];
  return NULL;
}

static void model_run_block(uint32_t number) {
  model_block_t *b = model_block(number);
  const model_part_t *plan[2 * MAX_PARTS];
  uint32_t n = model_list_parts(b->assemblage, plan);
  bool all = true;
  for (uint32_t i = 0; i < b->count; ++i)
    all &= model_is_alive(b->e[i]);
  for (uint32_t p = 0; p < n && all; ++p)
    for (uint32_t i = 0; i < b->count; ++i)
      model_append(plan[p]->manager, b->e[i], plan[p]->instance, b->v[i][p]);
  for (uint32_t i = 0; i < b->count; ++i) {
    if (!model_is_alive(b->e[i]))
      continue;
    model.is_queued[b->e[i] & 0x3fffff] = false;
    for (uint32_t p = 0; p < n && !all; ++p)
      model_append(plan[p]->manager, b->e[i], plan[p]->instance, b->v[i][p]);
    model_update(b->e[i], 0, -1);
  }
  for (uint32_t i = 0; i < b->descendant_count; ++i)
    if (model_is_alive(b->descendants[i].e))
      model_run_spawn(&b->descendants[i]);
  b->number = 0;
}

static void model_free_block(model_block_t *b, uint32_t by) {
  for (uint32_t i = 0; i < b->count; ++i)
    model_free(b->e[i], by);
  for (uint32_t i = 0; i < b->descendant_count; ++i)
    model_free(b->descendants[i].e, by);
  b->number = 0;
}

static void model_join(uint32_t e, uint32_t by) {
  for (uint32_t i = 0; i < model.batch_count; ++i)
    if (model.batch[i] == e)
      return;
  if (!model_is_alive(e))
    return;
  model.batch[model.batch_count] = e;
  model.batch_by[model.batch_count++] = by;
}

static void model_notify_died(uint32_t first, uint32_t end) {
  for (uint32_t k = first; k < end; ++k)
    if (model_has(HOOKED, model.batch[k]))
      model_record_hook(HOOK_DIED, HOOKED, model.batch[k]);
  for (uint32_t k = first; k < end; ++k)
    for (uint32_t r = 0; r < model.m[HOOKED].count && model_has(HOOKED, model.batch[k]); ++r)
      if ((uint32_t)model.m[HOOKED].rows[r].v[0] == model.batch[k])
        model_join(model.m[HOOKED].rows[r].owner, model.batch_by[0]);
}

// Notifies watchers in the order of the batch, then removes the entities' rows in reverse order.
static void model_leave_queries(void) {
  for (uint32_t k = 0; k < model.batch_count; ++k)
    for (uint32_t i = 0; i < model.query_count; ++i)
      if (model_in_query(&model.queries[i], model.batch[k]))
        model_notify_watchers(&model.queries[i], model.batch[k], false);
  for (uint32_t k = model.batch_count; k-- > 0;)
    for (uint32_t i = 0; i < model.query_count; ++i)
      model_leave(&model.queries[i], model.batch[k]);
}

static void model_destroy_batch(void) {
  model_flush_added();
  for (uint32_t told = 0; told < model.batch_count;) {
    uint32_t first = told;
    told = model.batch_count;
    model_notify_died(first, told);
  }
  for (uint32_t m = 1; m <= MANAGERS; ++m)
    for (uint32_t k = 0; k < model.batch_count; ++k)
      if (kinds[m].hooked && model_has(m, model.batch[k]))
        model_record_hook(HOOK_REMOVING, m, model.batch[k]);
  model_leave_queries();
  for (uint32_t m = 1; m <= MANAGERS; ++m)
    for (uint32_t k = model.batch_count; k-- > 0;)
      for (int64_t r; (r = model_after(m, model.batch[k], 0)) >= 0;)
        model_swap_erase(m, (uint32_t)r);
  for (uint32_t k = 0; k < model.batch_count; ++k)
    model_free(model.batch[k], model.batch_by[k]);
  model.batch_count = 0;
}

static void model_emit(const double *v) {
  model_check_limit(model.event_count < MAX_EVENTS, "events");
  model_event_t ev = {.tick = model.tick};
  memcpy(ev.v, v, sizeof ev.v);
  model.events[model.event_count++] = ev;
}

static void model_run(const model_command_t *c) {
  int64_t row;
  if (c->kind == BLOCK)
    model_run_block(c->a);
  else if (c->kind == EMIT)
    model_emit(c->v);
  if (c->kind == BLOCK || c->kind == EMIT || !model_is_alive(c->e))
    return;
  switch (c->kind) {
  case SPAWN: model_run_spawn(c); break;
  case ADD: model_add(c->a, c->e, c->b, NULL); break;
  case ADD_SET:
    model_add(c->a, c->e, 0, NULL);
    row = model_find(c->a, c->e, 0);
    for (uint32_t i = 0; i < MAX_VALUES; ++i)
      if (c->given[i])
        model.m[c->a].rows[row].v[i] = c->v[i];
    break;
  case REMOVE: model_remove(c->a, c->e, c->b); break;
  case SET:
    if ((row = model_find(c->a, c->e, c->b)) >= 0)
      model.m[c->a].rows[row].v[c->c] = c->value;
    break;
  case ENTER: model_enter(c->e, c->a); break;
  default: break;
  }
}

static void model_apply(void) {
  uint32_t i = 0;
  model.applying = true;
  do {
    while (i < model.queued) {
      if (model.queue[i].kind != DESTROY) {
        model_command_t c = model.queue[i++];
        model_run(&c);
        continue;
      }
      for (; i < model.queued && model.queue[i].kind == DESTROY; ++i)
        model_join(model.queue[i].e, model.queue[i].a);
      model_destroy_batch();
    }
    model_flush_added();
  } while (i < model.queued);
  model.queued = 0;
  model.applying = false;
}

static bool model_is_deferring(void) {
  return model.frames > 0 || model.applying;
}

// Returns true if a queued command destroys e.
static bool model_is_doomed(uint32_t e) {
  for (uint32_t i = 0; i < model.queued; ++i)
    if (model.queue[i].kind == DESTROY && model.queue[i].e == e)
      return true;
  return false;
}

static void model_submit(model_command_t c) {
  model_push(c);
  if (!model_is_deferring())
    model_apply();
}

static bool model_assemblage_has(uint32_t assemblage, uint32_t manager) {
  const model_part_t *plan[2 * MAX_PARTS];
  uint32_t n = model_list_parts(assemblage, plan);
  for (uint32_t i = 0; i < n; ++i)
    if (plan[i]->manager == manager)
      return true;
  return false;
}

static bool model_spawn_adds(const model_command_t *c, uint32_t e, uint32_t manager) {
  return c->e == e && (model_assemblage_has(c->a, manager) || (c->b && (manager == TRANSFORM || manager == NAME)));
}

// Returns true if a queued command adds this component to e.
static bool model_has_pending_add(uint32_t e, uint32_t manager) {
  for (uint32_t i = 0; i < model.queued; ++i) {
    const model_command_t *c = &model.queue[i];
    if (c->kind == SPAWN && model_spawn_adds(c, e, manager))
      return true;
    if ((c->kind == ADD || c->kind == ADD_SET) && c->e == e && c->a == manager)
      return true;
    if (c->kind == ENTER && c->e == e) {
      const model_template_t *t = model_state(model.assemblage[e & 0x3fffff], c->a);
      for (uint32_t k = 0; t && k < t->count; ++k)
        if (t->parts[k].manager == manager)
          return true;
    }
    if (c->kind == BLOCK) {
      const model_block_t *b = model_block(c->a);
      for (uint32_t k = 0; k < b->count; ++k)
        if (b->e[k] == e && model_assemblage_has(b->assemblage, manager))
          return true;
      for (uint32_t k = 0; k < b->descendant_count; ++k)
        if (model_spawn_adds(&b->descendants[k], e, manager))
          return true;
    }
  }
  return false;
}

// Counts queued commands as the world does.
static uint32_t model_command_count(void) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < model.queued; ++i)
    count += !model.queue[i].follows;
  return count;
}

// --- groups

static bool model_is_plain(uint32_t manager) {
  return !kinds[manager].many && !kinds[manager].single;
}

static bool model_can_group(const model_query_t *q) {
  bool found = false;
  for (uint32_t i = 0; i < q->terms; ++i) {
    if (q->role[i] != WITH)
      continue;
    if (!model_is_plain(q->manager[i]) || model.m[q->manager[i]].group >= 0)
      return false;
    found = true;
  }
  return found;
}

static void model_make_group(model_query_t *q) {
  q->group = true;
  for (uint32_t i = 0; i < q->terms; ++i)
    if (q->role[i] == WITH)
      model.m[q->manager[i]].group = (int32_t)(q - model.queries);
  for (uint32_t i = 0; i < q->count; ++i)
    model_swap_owned(q, q->e[i], i);
}

static void model_end_group(model_query_t *q) {
  for (uint32_t i = 0; i < q->terms; ++i)
    if (model_owns(q, q->manager[i]))
      model.m[q->manager[i]].group = -1;
  q->group = false;
}

static void model_drop(void) {
  uint32_t first = model.frame_first[model.frames - 1], by = model.frame_by[model.frames - 1];
  for (uint32_t i = first; i < model.queued; ++i) {
    if (model.queue[i].kind == SPAWN)
      model_free(model.queue[i].e, by);
    if (model.queue[i].kind == BLOCK)
      model_free_block(model_block(model.queue[i].a), by);
  }
  model.queued = first;
}

static void model_end_tick(void) {
  uint32_t old = 0;
  while (old < model.event_count && model.events[old].tick < model.tick)
    old++;
  memmove(model.events, model.events + old, (model.event_count - old) * sizeof *model.events);
  model.event_count -= old;
  model.first_event += old;
  model.tick++;
}

#endif
