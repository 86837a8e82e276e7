// Calls of a plugin's systems, observers and functions, and of parts that it shares out itself.
#include "plugin/call.h"

#include "base/assert.h"
#include "plugin/enter.h"
#include "plugin/plugin.h"

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
