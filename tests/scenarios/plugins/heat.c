// A test plugin that uses many parts of the plugin interface. Macros (-D…) select a later version or a specific fault.
#include <shoal/plugin.h>

#include <signal.h>
#include <stdlib.h>

#ifdef OTHER_VERSION
#undef SHOAL_API_VERSION
#define SHOAL_API_VERSION OTHER_VERSION
#endif

#ifdef LATER
#define HEAT_FIELDS(F) F(f64, warmth, 20.0, .renamed_from = "value") F(f32, rate, 1) F(vec2, glow, 3, 4)
#define VALUE warmth
#define NUMBER double
#elif defined(UNFIT) // values of the running game do not fit into a u8
#define HEAT_FIELDS(F) F(u8, value, 20) F(f32, rate, 1)
#define VALUE value
#define NUMBER uint8_t
#else
#define HEAT_FIELDS(F) F(f32, value, 20.0f, .unit = "°C", .doc = "how hot it is") F(f32, rate, 1)
#define VALUE value
#define NUMBER float
#endif
#ifdef FALSE_COUNT
SHOAL_DECLARE(heat, HEAT_FIELDS, SHOAL_KIND_COMPONENT, NULL)
static const shoal_component lying = {"heat", SHOAL_KIND_COMPONENT, heat_fields, 2, 5, NULL};
#define COMPONENTS                                                                                                     \
  (const shoal_component *const[]) {                                                                                   \
    &lying, NULL                                                                                                       \
  }
#else
SHOAL_COMPONENT(heat, HEAT_FIELDS)
#define COMPONENTS SHOAL_COMPONENTS(heat, cold)
#endif
#define COLD_FIELDS(F) F(entity, who) F(f32, value, 0)
SHOAL_EVENT(cold, COLD_FIELDS)
#define TRANSFORM_FIELDS(F) F(f32, y, 0) F(f32, x, 0)
SHOAL_COMPONENT(transform, TRANSFORM_FIELDS)

static void inject_fault(shoal_context *c) {
#ifdef CRASH_IN_SYSTEM
  if (shoal_tick(c) >= CRASH_IN_SYSTEM)
    raise(SIGSEGV);
#endif
  (void)c;
}

static void cool(shoal_context *c, const shoal_view *v, float dt_s) {
  NUMBER *value = SHOAL_COLUMN(v, heat, VALUE);
  const float *rate = SHOAL_COLUMN(v, heat, rate);
  inject_fault(c);
  for (uint32_t i = 0; i < v->count; ++i)
    value[i] = (NUMBER)(value[i] - (NUMBER)(rate[i] * dt_s));
#ifdef FAIL_IN_SYSTEM
  shoal_fail(c, "the %s has gone out", "fire");
#endif
  (void)c;
}

// Tests changes from several threads: emits `cold` for each entity whose heat is below 1, and destroys these entities
// in every third tick.
static void chill(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const NUMBER *value = SHOAL_COLUMN(v, heat, VALUE);
  float *x = SHOAL_COLUMN(v, transform, x);
  uint32_t cold = 0;
  (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i) {
    x[i] += (float)value[i] + shoal_random_f32(c);
    cold += value[i] < 1;
  }
  const cold_columns *out = cold > 0 ? SHOAL_EMIT(w, cold, cold) : NULL;
  for (uint32_t i = 0, at = 0; out && i < v->count; ++i) {
    if (value[i] >= 1)
      continue;
    out->who[at] = v->entities[i];
    out->value[at++] = (float)value[i];
    if (shoal_tick(c) % 3 == 2)
      shoal_destroy(w, v->entities[i]);
    else
      shoal_set(w, v->entities[i], &heat_component, SHOAL_COLUMN_INDEX(heat, rate), 0.5);
  }
  if (out)
    shoal_emit_end(w, &cold_component);
}

#ifdef KINDLE // an event that the game declares
#define KINDLE_FIELDS(F) F(f32, by, 0) F(entity, who)
SHOAL_EVENT(kindle, KINDLE_FIELDS)
#define USES SHOAL_COMPONENTS(transform, kindle)

static void kindle(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  const heat_columns *heat = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &heat_component), heat);
  shoal_rows events = shoal_read_events(w, &kindle_component);
  const kindle_columns *e = SHOAL_ROWS_COLUMNS(events, kindle);
  (void)v, (void)dt_s;
  for (uint32_t i = 0; i < events.count; ++i) {
    uint32_t row = shoal_find_row(w, &heat_component, e->who[i]);
    if (row != SHOAL_NO_ROW)
      heat->VALUE[row] += (NUMBER)e->by[i];
  }
}
#define MORE_SYSTEMS {.name = "kindle", .run = kindle},
#else
#define USES SHOAL_COMPONENTS(transform)
#define MORE_SYSTEMS
#endif

// Tests an optional term: adds 1 to the y of entities with a transform in each tick. Rows without a transform read the
// default of y, and writes to y are discarded.
static void lift(shoal_context *c, const shoal_view *v, float dt_s) {
  float *y = SHOAL_COLUMN(v, transform, y);
  (void)c, (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i) {
    if (!shoal_view_has(v, &transform_component, i) && (int)y[i] != 0)
      shoal_fail(c, "row %u has no transform, but y is not the default", i);
    y[i] += 1;
  }
}

static void boil(shoal_context *c, const shoal_value *a, shoal_value *r) {
  shoal_world *w = shoal_get_world(c);
  uint32_t row = shoal_find_row(w, &heat_component, a[0].entity);
  if (row == SHOAL_NO_ROW) {
    shoal_fail(c, "e has no heat");
    return;
  }
  r[0].number = (double)(SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &heat_component), heat)->VALUE[row] = 100);
}

// Tests list arguments and results: adds by[i % count] to the heat of who[i]. Returns the new heats (-1 without heat),
// the entities and the text.
static void warm(shoal_context *c, const shoal_value *a, shoal_value *r) {
  shoal_world *w = shoal_get_world(c);
  const heat_columns *heat = SHOAL_ROWS_COLUMNS(shoal_get_rows(w, &heat_component), heat);
  double *out = shoal_return_numbers(c, &r[0], a[0].count);
  if (a[1].count == 0) {
    shoal_fail(c, "by must not be empty");
    return;
  }
  shoal_entity *who = shoal_return_entities(c, &r[1], a[0].count);
  for (uint32_t i = 0; i < a[0].count; ++i) {
    uint32_t row = shoal_find_row(w, &heat_component, a[0].entities[i]);
    who[i] = a[0].entities[i];
    out[i] = row == SHOAL_NO_ROW ? -1 : (double)(heat->VALUE[row] += (NUMBER)a[1].numbers[i % a[1].count]);
  }
  shoal_return_string(c, &r[2], a[2].string);
}

static void *open(shoal_context *c) {
#ifdef CRASH_IN_OPEN
  raise(SIGSEGV);
#endif
#ifdef FAIL_IN_OPEN
  shoal_fail(c, "there is no fire in %d rooms", 7);
#endif
  return shoal_realloc(c, NULL, 0, 100);
}

static void close(shoal_context *c, void *state) {
  shoal_realloc(c, state, 100, 0);
}

#ifdef CRASH_IN_LOAD
__attribute__((constructor)) static void load(void) {
  raise(SIGSEGV);
}
#elif defined(HANG_IN_LOAD)
__attribute__((constructor)) static void load(void) {
  for (volatile int i = 0;; i = 1 - i)
    ;
}
#elif defined(EXIT_IN_LOAD)
__attribute__((constructor)) static void load(void) {
  _Exit(3);
}
#elif defined(MISSING_SYMBOL)
void nowhere(void);
__attribute__((constructor)) static void load(void) {
  nowhere();
}
#endif

#ifndef NEEDS
#define NEEDS
#endif
#ifndef NAME
#define NAME "heat"
#endif

// clang-format off
static const shoal_plugin plugin = {
    .name = NAME, .version = 1, .dependencies = {NEEDS}, .components = COMPONENTS, .uses = USES,
    .systems = SHOAL_SYSTEMS(
        MORE_SYSTEMS
        {.name = "cool", .query = {"heat"}, .run = cool},
        {.name = "lift", .query = {"heat"}, .optional = {"transform"}, .reads = {"heat"}, .run = lift},
        {.name = "chill", .query = {"heat", "transform"}, .without = {"lifetime"}, .reads = {"heat"}, .after = {"cool"},
         .parallel = true, .run = chill}),
    .functions = SHOAL_FUNCTIONS(
        {.name = "boil", .parameters = "e:entity", .results = "value:number", .doc = "Makes it boil.", .call = boil},
        {.name = "warm", .parameters = "who:entity[] by:number[] word:string",
         .results = "values:number[] who:entity[] word:string", .call = warm}),
    .open = open, .close = close};

#ifdef NO_EXPORT
const shoal_plugin *shoal_something_else = &plugin;
#elif defined(SMALLER)
SHOAL_EXPORT_SYMBOL({SHOAL_EXPORT_MAGIC, sizeof(shoal_export), SHOAL_API_VERSION, sizeof(shoal_api),
                     sizeof(void *), sizeof(size_t), sizeof(shoal_component_kind), 0, sizeof(shoal_plugin),
                     sizeof(shoal_component), sizeof(shoal_field), sizeof(shoal_manager), sizeof(shoal_system) - 8,
                     sizeof(shoal_function), sizeof(shoal_view), sizeof(shoal_term), sizeof(shoal_rows),
                     sizeof(shoal_value), &plugin, &shoal_math_functions, sizeof(shoal_math)})
#elif defined(LARGER)
SHOAL_EXPORT_SYMBOL({SHOAL_EXPORT_MAGIC, sizeof(shoal_export), SHOAL_API_VERSION, sizeof(shoal_api) + 80,
                     sizeof(void *), sizeof(size_t), sizeof(shoal_component_kind), 0, sizeof(shoal_plugin),
                     sizeof(shoal_component), sizeof(shoal_field), sizeof(shoal_manager), sizeof(shoal_system),
                     sizeof(shoal_function), sizeof(shoal_view), sizeof(shoal_term), sizeof(shoal_rows),
                     sizeof(shoal_value), &plugin, &shoal_math_functions, sizeof(shoal_math)})
#else
SHOAL_EXPORT_SYMBOL(SHOAL_EXPORT_INIT(&plugin))
#endif
