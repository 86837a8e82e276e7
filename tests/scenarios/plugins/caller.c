// A plugin that calls functions of another plugin. Macros (-D…) select correct and incorrect calls.
#include <shoal/call.h>
#include <shoal/input.h>

#include <pthread.h>

#ifndef WANTED
#define WANTED "heat.boil"
#endif
#ifndef WANTED_VERSION
#define WANTED_VERSION 1
#endif
#ifndef TAKES
#define TAKES "e:entity"
#endif

#define CALLER_FIELDS(F) F(f64, boiled, 0) F(f64, action, 0) F(u32, high, 0) F(u32, low, 0) F(string, why, "")
SHOAL_SINGLE(caller, CALLER_FIELDS)

#ifdef KEEPS // stores the looked-up function in columns, which survive a reload
static shoal_function_handle find(shoal_context *c, const caller_columns *me) {
  if (me->low[0] == 0) {
    shoal_function_handle f = shoal_find_function(c, WANTED, WANTED_VERSION, TAKES, "degrees:number");
    me->high[0] = (uint32_t)(f >> 32);
    me->low[0] = (uint32_t)f;
  }
  return (uint64_t)me->high[0] << 32 | me->low[0];
}
#else
static shoal_function_handle find(shoal_context *c, const caller_columns *me) {
  (void)me;
  return shoal_find_function(c, WANTED, WANTED_VERSION, TAKES, "degrees:number");
}
#endif

static void *elsewhere(void *c) {
  (void)shoal_action_down((shoal_context *)c, "jump", 0);
  return NULL;
}

static void run(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const caller_columns *me = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &caller_component), caller);
  const shoal_component *heat = shoal_find_component(w, "heat");
  shoal_value argument, results[SHOAL_MAX_VALUES];
  const char *why = "";
  (void)v, (void)dt_s;
  memset(&argument, 0, sizeof argument);
  if (heat && shoal_get_rows(w, heat).count > 0)
    argument.entity = shoal_get_rows(w, heat).entities[0];
  if (!shoal_call(c, find(c, me), &argument, results))
    return;
  me->boiled[0] = results[0].number;
  argument.entity = 0;
  if (!shoal_try_call(c, find(c, me), &argument, results, &why))
    me->why[0] = shoal_intern(w, why);
#ifdef ACTION
  me->action[0] += shoal_action_pressed(c, ACTION, 0) ? 100 : shoal_action_value(c, ACTION, 0);
#endif
#ifdef THREAD
  pthread_t thread;
  if (pthread_create(&thread, NULL, elsewhere, c) == 0)
    (void)pthread_join(thread, NULL);
#else
  (void)elsewhere;
#endif
}

#ifdef IN_RENDER
#define PHASE SHOAL_PHASE_RENDER
#else
#define PHASE SHOAL_PHASE_UPDATE
#endif
SHOAL_PLUGIN(.name = "caller", .version = 1, .dependencies = {"heat"}, .components = SHOAL_COMPONENTS(caller),
             .systems = SHOAL_SYSTEMS({.name = "run", .phase = PHASE, .run = run}))
