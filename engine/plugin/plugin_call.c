// How the host calls a plugin's functions: all of them through here. What runs is known to reports of crashes, code
// that does not come back ends the program with a report (base/foreign.h), and an exception of C++ becomes a failure
// with words. It is caught by the plugin's own code (shoal_export.guard), so that its destructors run and nothing of
// C++ is needed here; the thunks below are on the way, and compilers give C functions what the unwinder needs on the
// processors that Shoal runs on.
#include "plugin/plugins_internal.h"

#include "base/assert.h"
#include "base/float_control.h"
#include "base/foreign.h"
#include "base/now.h"

#include <fenv.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#define MOST_MS 10000u   // of processor time for one call
#define BUDGETS 100u     // a plugin's call has as many times the budget of a script's, if that is less
#define LOADING_TIMES 3u // while loading
#define LOOKS 64u        // first calls of its systems after which it is looked whether they have started threads

static uint32_t budget_ms(const plugin_t *x, where_t where) {
  uint32_t script_ms = x->all->desc.budget_ms;
  uint32_t ms = script_ms < MOST_MS / BUDGETS ? script_ms * BUDGETS : MOST_MS;
  return where == WHERE_LOADING ? ms * LOADING_TIMES : ms;
}

static void put_back_locale(plugin_t *x) {
  if (nl_langinfo(RADIXCHAR)[0] == '.')
    return;
  setlocale(LC_NUMERIC, "C");
  plugin_warn(x, "it has changed how numbers are written (setlocale): that is put back");
}

void plugin_tell_rules(plugin_t *x) {
  if (x->left_rules)
    plugin_warn(x, "it leaves other rules of arithmetic behind (rounding, numbers next to zero): they are put back");
  x->left_rules = false;
  put_back_locale(x);
}

// What a plugin changes of the whole process, numbers of everybody would follow.
static void put_back_rules(plugin_t *x, const plugin_piece_t *piece, uint64_t rules) {
  fesetround(FE_TONEAREST); // of other registers, too
  float_control_set(rules);
  x->left_rules = true;
  if (piece->where != WHERE_PART)
    plugin_tell_rules(x);
}

void plugin_end_scope(plugin_t *x) {
  shoal_assert(x->scope_depth > 0, "plugin %s has no scope open", x->name);
  const open_scope_t *o = &x->open_scopes[--x->scope_depth];
  plugin_scope_t *s = &x->scopes.items[o->scope];
  double spent_us = now_us() - o->began_us;
  s->total_us += spent_us;
  s->recent_us[s->runs++ % PLUGIN_SCOPE_RECENT] = (float)spent_us;
}

// What it has left open.
static void end_scopes(plugin_t *x, uint32_t first) {
  if (x->scope_depth > first)
    plugin_warn(x, "a scope that it began has not ended: it ends with the call");
  while (x->scope_depth > first)
    plugin_end_scope(x);
}

bool plugin_enter(plugin_t *x, const plugin_piece_t *piece, void (*call)(void *data), void *data, error_t *error) {
  shoal_assert(x && call && piece->kind, "a call of a plugin says whose it is and what it is");
  foreign_call_t foreign = {
      .owner = x->name, .kind = piece->kind, .name = piece->name, .budget_ms = budget_ms(x, piece->where)};
  char what[512] = "";
  bool fine = true;
  uint64_t rules = float_control();
  bool looks = piece->where == WHERE_LOADING || (piece->where == WHERE_SYSTEM && x->looked_at < LOOKS);
  x->looked_at += looks && piece->where == WHERE_SYSTEM;
  uint32_t threads = looks ? plugin_count_threads() : 0;
  uint32_t open = piece->where == WHERE_PART ? 0 : x->open.count;
  uint32_t scopes = piece->where == WHERE_PART ? 0 : x->scope_depth;
  error_t checked, *outer = plugin_begin_checks(&checked);
  lent_t *before = plugin_lent_before();
  foreign_begin(&foreign);
  if (x->guard)
    fine = x->guard(call, data, what, sizeof what);
  else
    call(data);
  foreign_end(&foreign);
  plugin_take_lent_back(before);
  plugin_end_checks(outer);
  if (threads > 0)
    plugin_tell_threads(x, piece->kind, threads);
  if (float_control() != rules)
    put_back_rules(x, piece, rules);
  if (piece->where != WHERE_PART) {
    put_back_locale(x);
    plugin_end_queries(x, open);
    end_scopes(x, scopes);
  }
  if (!fine)
    return error_set(error, "it threw an exception: %.500s", what);
  if (checked.text[0])
    return error_set(error, "%s", checked.text);
  if (piece->where == WHERE_PART || !x->astray)
    return true;
  plugin_tell_astray(x, error);
  return false;
}

// --- systems and functions

typedef struct system_call_t {
  const run_t *run;
  context_t *c;
  const shoal_view *view;
  float dt_s;
} system_call_t;

static void call_system(void *data) {
  const system_call_t *s = data;
  s->run->def->run(plugin_lend(s->c), s->view, s->dt_s);
}

bool plugin_call_system(const run_t *r, context_t *c, const shoal_view *view, float dt_s) {
  system_call_t s = {.run = r, .c = c, .view = view, .dt_s = dt_s};
  error_t error;
  if (!plugin_enter(r->plugin, &(plugin_piece_t){c->where, "system", r->name}, call_system, &s, &error) && !c->failed) {
    c->failed = true;
    c->problem = error;
  }
  return !c->failed;
}

typedef struct observer_call_t {
  void (*function)(shoal_context *, const shoal_entity *, uint32_t, float);
  context_t *c;
  const plugin_heard_t *heard;
} observer_call_t;

static void call_observer(void *data) {
  const observer_call_t *o = data;
  o->function(plugin_lend(o->c), o->heard->entities, o->heard->count, o->heard->dt_s);
}

bool plugin_call_observer(context_t *c, void (*function)(shoal_context *, const shoal_entity *, uint32_t, float),
                          const plugin_heard_t *heard) {
  shoal_assert(c->run && function && heard->count > 0, "nothing is heard");
  observer_call_t o = {function, c, heard};
  error_t error;
  if (!plugin_enter(c->plugin, &(plugin_piece_t){c->where, "system", c->run->name}, call_observer, &o, &error) &&
      !c->failed) {
    c->failed = true;
    c->problem = error;
  }
  return !c->failed;
}

typedef struct function_call_t {
  const shoal_function *function;
  context_t *c;
  const shoal_value *arguments;
  shoal_value *results;
} function_call_t;

static void call_function(void *data) {
  const function_call_t *f = data;
  f->function->call(plugin_lend(f->c), f->arguments, f->results);
}

bool plugin_call_function(context_t *c, const shoal_function *function, const shoal_value *arguments,
                          shoal_value *results) {
  shoal_assert(c->plugin && function, "a function of a plugin");
  function_call_t f = {.function = function, .c = c, .arguments = arguments, .results = results};
  error_t error;
  if (!plugin_enter(c->plugin, &(plugin_piece_t){WHERE_FUNCTION, "function", function->name}, call_function, &f,
                    &error) &&
      !c->failed) {
    c->failed = true;
    c->problem = error;
  }
  return !c->failed;
}

// --- loading

typedef struct state_call_t {
  plugin_t *x;
  context_t c;
  const shoal_previous *previous;
  void *bytes;
  size_t size;
} state_call_t;

static void call_open(void *data) {
  state_call_t *s = data;
  const shoal_plugin *def = s->x->def;
  shoal_context *c = plugin_lend(&s->c);
  s->x->state = def->open_after ? def->open_after(c, s->previous) : def->open(c);
}

static void call_hand_over(void *data) {
  state_call_t *s = data;
  s->size = s->x->def->hand_over(plugin_lend(&s->c), s->x->state, s->bytes, s->size);
}

size_t plugin_call_hand_over(plugin_t *x, void *bytes, size_t room) {
  state_call_t s = {.x = x, .c = plugin_context(x, WHERE_MANAGER), .bytes = bytes, .size = room};
  error_t error;
  bool fine = plugin_enter(x, &(plugin_piece_t){WHERE_LOADING, "hand_over", NULL}, call_hand_over, &s, &error);
  if (fine && !s.c.failed)
    return s.size;
  log_warn(x->all->desc.log, "plugin %s: hand_over: %s: nothing is handed over", x->name,
           fine ? s.c.problem.text : error.text);
  return 0;
}

static void call_close(void *data) {
  state_call_t *s = data;
  s->x->def->close(plugin_lend(&s->c), s->x->state);
}

static void call_restored(void *data) {
  state_call_t *s = data;
  s->x->def->restored(plugin_lend(&s->c));
}

bool plugin_call_open(plugin_t *x, error_t *error) {
  previous_t previous;
  plugin_take_bytes(x, &previous);
  state_call_t s = {
      .x = x, .c = plugin_context(x, WHERE_LOADING), .previous = previous.is_there ? &previous.given : NULL};
  bool fine = plugin_enter(x, &(plugin_piece_t){WHERE_LOADING, "open", NULL}, call_open, &s, error);
  plugin_free_bytes(x, &previous);
  if (!fine)
    return false;
  if (s.c.failed)
    *error = s.c.problem;
  return !s.c.failed;
}

void plugin_call_close(plugin_t *x) {
  state_call_t s = {.x = x, .c = plugin_context(x, WHERE_LOADING)};
  error_t error;
  if (!plugin_enter(x, &(plugin_piece_t){WHERE_LOADING, "close", NULL}, call_close, &s, &error))
    log_warn(x->all->desc.log, "plugin %s: close: %s", x->name, error.text);
}

void plugin_call_restored(plugin_t *x) {
  if (plugin_rests(x))
    return;
  state_call_t s = {.x = x, .c = plugin_context(x, WHERE_LOADING)};
  error_t error, words;
  if (plugin_enter(x, &(plugin_piece_t){WHERE_LOADING, "restored", NULL}, call_restored, &s, &error))
    return;
  error_set(&words, "restored: %.900s; its systems are parked", error.text);
  plugin_fail(x, words.text);
}

// --- managers

typedef struct manager_call_t {
  bound_t *b;
  const shoal_manager *m;
  context_t c;
  const manager_rows_t *rows;
  const manager_bytes_t *from;
  void *bytes;
  size_t size;
  uint32_t count;
  bool fine;
} manager_call_t;

static void call_create(void *data) {
  manager_call_t *x = data;
  x->b->self = x->m->create(plugin_lend(&x->c));
}

static void call_destroy(void *data) {
  manager_call_t *x = data;
  x->m->destroy(plugin_lend(&x->c), x->b->self);
}

static void call_attach(void *data) {
  manager_call_t *x = data;
  x->m->attach(plugin_lend(&x->c), x->b->self, x->rows->entities, x->rows->count);
}

static void call_detach(void *data) {
  manager_call_t *x = data;
  x->m->detach(plugin_lend(&x->c), x->b->self, x->rows->entities, x->rows->count);
}

static void call_count(void *data) {
  manager_call_t *x = data;
  x->count = x->m->count(x->b->self);
}

static void call_save_bytes(void *data) {
  manager_call_t *x = data;
  x->size = x->m->save_bytes(plugin_lend(&x->c), x->b->self);
}

static void call_save(void *data) {
  manager_call_t *x = data;
  x->m->save(plugin_lend(&x->c), x->b->self, x->bytes);
}

static void call_load(void *data) {
  manager_call_t *x = data;
  x->fine = x->m->load(plugin_lend(&x->c), x->b->self, x->from->bytes, x->from->size);
}

static void call_migrate(void *data) {
  manager_call_t *x = data;
  x->fine = x->m->migrate(plugin_lend(&x->c), x->b->self, x->from->version, x->from->bytes, x->from->size);
}

static manager_call_t to_manager(bound_t *b, where_t where) {
  return (manager_call_t){.b = b, .m = b->component->manager, .c = plugin_context(b->plugin, where)};
}

// One that throws is not asked again: what it holds is anybody's guess.
static bool enter_manager(manager_call_t *x, const char *function, void (*call)(void *data)) {
  bound_t *b = x->b;
  shoal_assert(!b->unreliable || call == call_destroy, "the manager of %s is asked, and cannot be believed",
               b->component->name);
  error_t error;
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "%s of %s", function, b->component->name);
  if (plugin_enter(b->plugin, &(plugin_piece_t){WHERE_LOADING, "manager", name}, call, x, &error))
    return true;
  b->unreliable = true;
  error_set(&b->plugin->lie, "the manager of %s: %s: %.500s", b->component->name, function, error.text);
  error_set(&error, "%.900s; its systems are parked", b->plugin->lie.text);
  plugin_fail(b->plugin, error.text);
  return false;
}

bool manager_call_create(bound_t *b, error_t *error) {
  manager_call_t x = to_manager(b, WHERE_LOADING);
  char name[COMPONENT_NAME_MAX + 32];
  snprintf(name, sizeof name, "create of %s", b->component->name);
  if (!plugin_enter(b->plugin, &(plugin_piece_t){WHERE_LOADING, "manager", name}, call_create, &x, error))
    return false;
  if (x.c.failed)
    *error = x.c.problem;
  else if (!b->self)
    error_set(error, "the manager of %s gives no storage from `create`", b->component->name);
  return !x.c.failed && b->self;
}

void manager_call_destroy(bound_t *b) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  enter_manager(&x, "destroy", call_destroy);
}

void manager_call_attach(bound_t *b, const shoal_entity *entities, uint32_t count) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  x.rows = &(manager_rows_t){entities, count};
  enter_manager(&x, "attach", call_attach);
}

void manager_call_detach(bound_t *b, const shoal_entity *entities, uint32_t count) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  x.rows = &(manager_rows_t){entities, count};
  enter_manager(&x, "detach", call_detach);
}

uint32_t manager_call_count(bound_t *b) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  return enter_manager(&x, "count", call_count) ? x.count : 0;
}

size_t manager_call_save_bytes(bound_t *b) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  return enter_manager(&x, "save_bytes", call_save_bytes) ? x.size : 0;
}

void manager_call_save(bound_t *b, void *bytes) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  x.bytes = bytes;
  enter_manager(&x, "save", call_save);
}

bool manager_call_load(bound_t *b, const manager_bytes_t *from, error_t *error) {
  manager_call_t x = to_manager(b, WHERE_MANAGER);
  bool migrates = from->bytes && from->version != x.m->version;
  x.from = from;
  if (!enter_manager(&x, migrates ? "migrate" : "load", migrates ? call_migrate : call_load))
    return error_set(error, "%s", b->plugin->lie.text);
  return x.fine || error_set(error, "it cannot read the %zu bytes that it kept%s%s", from->size, x.c.failed ? ": " : "",
                             x.c.failed ? x.c.problem.text : "");
}

// --- parts that a plugin shares out itself

typedef struct part_call_t {
  plugin_t *x;
  void (*part)(void *data, uint32_t part, uint32_t worker);
  void *data;
  uint32_t number, worker;
} part_call_t;

static void call_part(void *data) {
  const part_call_t *p = data;
  p->part(p->data, p->number, p->worker);
}

bool plugin_call_part(const plugin_parts_t *parts, uint32_t number, uint32_t worker, error_t *error) {
  part_call_t p = {.x = parts->plugin, .part = parts->part, .data = parts->data, .number = number, .worker = worker};
  return plugin_enter(p.x, &(plugin_piece_t){WHERE_PART, "a part of shoal_jobs", NULL}, call_part, &p, error);
}
