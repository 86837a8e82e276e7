// Test fixture: a plugin linked into the test program and opened in a small world; it is checked, declared, bound and
// run like a plugin from a library. plugged_try_open replaces loading the library's file.
#ifndef SHOAL_TESTS_PLUGIN_FIXTURE_H
#define SHOAL_TESTS_PLUGIN_FIXTURE_H

#include "plugin/declaration_check.h" // must precede cmocka.h, whose macro `fail` conflicts with a plugin function
#include "plugin/instance.h"
#include "plugin/call.h"
#include "plugin/result.h"
#include "plugin/system_binding.h"
#include "service/api.h"

#include "ecs_fixture.h"
#include "test.h"

typedef struct plugged_t {
  world_o *w;
  log_o *log;
  jobs_o *jobs;
  draw_o *draw;
  external_o *external;
  assets_t assets;
  plugins_o *p;
  schedule_o *s;
  allocator_t memory;
  char logged[4096]; // log lines
} plugged_t;

static inline void plugged_capture_log(void *context, log_level_t level, const char *line) {
  plugged_t *t = context;
  (void)level;
  size_t used = strlen(t->logged);
  snprintf(t->logged + used, sizeof t->logged - used, "%s\n", line);
}

static inline plugged_t *plugged_create(uint32_t workers) {
  static const field_type_t f32s[] = {FIELD_F32, FIELD_F32}, i32s[] = {FIELD_I32};
  plugged_t *t = calloc(1, sizeof *t);
  assert_non_null(t);
  t->log = log_create(LOG_DEBUG);
  log_set_listener(t->log, plugged_capture_log, t);
  t->jobs = workers > 1 ? jobs_create(&t->memory, workers) : NULL;
  t->w = world_create(&(world_desc_t){.seed = 7, .log = t->log, .jobs = t->jobs});
  content_attach(t->w);
  DECLARE(t->w, "position", SCHEMA_COMPONENT, f32s, "x", "y");
  DECLARE(t->w, "health", SCHEMA_COMPONENT, i32s, "hp");
  t->draw = draw_create();
  t->external = external_create(&t->memory);
  t->s = schedule_create(&t->memory);
  t->p = plugins_create(&(plugins_desc_t){.world = t->w,
                                          .game_folder = "/nowhere",
                                          .assets = &t->assets,
                                          .draw = t->draw,
                                          .width = 640,
                                          .height = 360,
                                          .external = t->external,
                                          .api = &service_api,
                                          .world_api = &service_world_api,
                                          .log = t->log});
  return t;
}

static inline void plugged_destroy(plugged_t *t) {
  schedule_destroy(t->s);
  plugins_destroy(t->p);
  external_destroy(t->external);
  draw_destroy(t->draw);
  world_destroy(t->w);
  jobs_destroy(t->jobs);
  log_destroy(t->log);
  assert_int_equal(t->memory.blocks, 0);
  free(t);
}

static inline int plugged_setup(void **state) {
  *state = plugged_create(1);
  return 0;
}

static inline int plugged_teardown(void **state) {
  plugged_destroy(*state);
  return 0;
}

// Opens a plugin as if its library had just been loaded. Returns NULL with an error if the plugin is rejected.
static inline plugin_t *plugged_try_open(plugged_t *t, const shoal_plugin *def, shoal_exception_guard_fn *guard,
                                         error_info_t *error) {
  plugins_o *p = t->p;
  plugin_t *x = alloc_resize(&p->memory, NULL, 0, sizeof *x);
  *x = (plugin_t){.plugins = p, .def = def, .guard = guard};
  snprintf(x->name, sizeof x->name, "%s", def->name ? def->name : "nameless");
  if (plugin_check_declarations(p, x, error)) {
    if (plugin_begin_instance(p, x, error)) {
      array_push(&p->memory, &p->list, x);
      return x;
    }
    plugin_end_instance(p, x);
  }
  alloc_resize(&p->memory, x, sizeof *x, 0);
  return NULL;
}

static inline plugin_t *plugged_open(plugged_t *t, const shoal_plugin *def) {
  error_info_t error = {0};
  plugin_t *x = plugged_try_open(t, def, NULL, &error);
  if (!x)
    fail_msg("%s", error.text);
  return x;
}

// Binds all open plugins: adds their systems to the schedule and resolves the components they use.
static inline void plugged_bind(plugged_t *t) {
  error_info_t error = {0};
  if (!plugins_schedule(t->p, t->s, &error) || !schedule_sort(t->s, &error))
    fail_msg("%s", error.text);
  plugins_bind(t->p);
  plugins_declare_parallel(t->p, t->s);
  schedule_find_stages(t->s, t->w);
}

static inline plugin_t *plugged_open_and_bind(plugged_t *t, const shoal_plugin *def) {
  plugin_t *x = plugged_open(t, def);
  plugged_bind(t);
  return x;
}

static inline void plugged_tick(plugged_t *t) {
  external_begin_tick(t->external, world_tick(t->w) + 1, EXTERNAL_LIVE, NULL);
  plugins_begin_tick(t->p);
  for (phase_t phase = PHASE_INPUT; phase <= PHASE_POST_UPDATE; ++phase)
    schedule_run(t->s, t->w, phase, 0.5f);
  world_end_tick(t->w);
}

static inline void assert_plugin_rejected(plugged_t *t, const shoal_plugin *def, const char *words) {
  error_info_t error = {0};
  if (plugged_try_open(t, def, NULL, &error))
    fail_msg("accepted, expected the error: %s", words);
  if (!strstr(error.text, words))
    fail_msg("got '%s', expected '%s'", error.text, words);
}

// Returns the oldest unread report as "system: message"; "" if all have been read.
static inline const char *plugged_pop_report(plugged_t *t) {
  static char text[sizeof(script_report_t)];
  script_report_t r;
  text[0] = '\0';
  if (plugins_pop_reports(t->p, &r, 1) == 1)
    snprintf(text, sizeof text, "%s: %s", r.piece, r.message);
  return text;
}

static inline void assert_reported(plugged_t *t, const char *words) {
  const char *report = plugged_pop_report(t);
  if (!strstr(report, words))
    fail_msg("got '%s', expected '%s'", report, words);
}

static inline void assert_logged(plugged_t *t, const char *words) {
  if (!strstr(t->logged, words))
    fail_msg("'%s' is not in the log: %s", words, t->logged);
}

static inline manager_o *get_component(plugged_t *t, const char *name) {
  manager_o *m = world_find_manager(t->w, name);
  if (!m)
    fail_msg("component %s not found", name);
  return m;
}

static inline double value_of(plugged_t *t, shoal_entity e, const char *component, uint32_t column) {
  return get(t->w, e, get_component(t, component)->id, column);
}

#endif
