// Background jobs and threads of plugins: plugin/job.c, plugin/guarded_call.c; managers of inactive plugins.
#include "plugin_fixture.h"
#include "../slowdown.h"

#include "base/now.h"
#include "plugin/guarded_call.h"
#include "shoal/call.h"
#include "shoal/job.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

// --- jobs

static _Atomic uint32_t runs, ended;
static uint8_t input;
static const void *result;
static size_t result_bytes;

static _Atomic bool may_finish;

// Copies the input, without checking shoal_stop_requested. The job with input 1 runs until the test lets it finish.
static size_t work_slowly(const void *in, size_t size, void *out, size_t room, const shoal_stop_token *stop) {
  (void)room, (void)stop;
  atomic_fetch_add(&runs, 1);
  for (int i = 0; i < 60000 * wall_slowdown() && *(const uint8_t *)in == 1 && !atomic_load(&may_finish); ++i)
    usleep(1000);
  memcpy(out, in, size);
  atomic_fetch_add(&ended, 1);
  return size;
}

static void request_job(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  result = shoal_poll_job(
      c, &(shoal_job){.name = "slow", .work = work_slowly, .input = &input, .input_size = 1, .output_capacity = 1},
      &result_bytes);
}

static const shoal_system REQUESTS[] = {{.name = "request", .run = request_job}, {0}};
static const shoal_plugin JOBS = {.name = "jobs", .systems = REQUESTS};

FIXTURE(plugged_t, plugged_setup, plugged_teardown)

TEST_IN(job_restarted_with_new_input_does_not_wait_for_its_running_thread, plugged_t, t) {
  runs = ended = 0;
  may_finish = false;
  input = 1;
  plugged_open_and_bind(t, &JOBS);
  plugged_tick(t);
  plugged_tick(t); // starts the thread
  while (atomic_load(&runs) == 0)
    usleep(1000);
  input = 2;
  plugged_tick(t);
  assert_int_equal(atomic_load(&ended), 0); // the tick did not wait
  atomic_store(&may_finish, true);
  for (int i = 0; i < 30000 * wall_slowdown() && !result; ++i, usleep(2000))
    plugged_tick(t);
  assert_non_null(result);
  assert_int_equal(result_bytes, 1);
  assert_int_equal(*(const uint8_t *)result, 2);
  assert_string_equal(plugged_pop_report(t), "");
}

// --- undeclared threads

static pthread_t made;
static _Atomic bool may_end;
static bool starts;

static void *wait_for_end(void *unused) {
  (void)unused;
  while (!atomic_load(&may_end))
    usleep(1000);
  return NULL;
}

static void start_thread(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)c, (void)in, (void)out;
  if (starts)
    assert_int_equal(pthread_create(&made, NULL, wait_for_end, NULL), 0);
  starts = false;
}

static void call_starter(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  shoal_value results[PLUGIN_MAX_VALUES];
  shoal_call(c, shoal_find_function(c, "starter.start", 1, "", ""), NULL, results);
}

static const shoal_function STARTS[] = {{.name = "start", .call = start_thread}, {0}};
static const shoal_plugin STARTER = {.name = "starter", .version = 1, .functions = STARTS};
static const shoal_system CALLS[] = {{.name = "call", .run = call_starter}, {0}};
static const shoal_plugin CALLER = {.name = "caller", .version = 1, .systems = CALLS};

TEST_IN(undeclared_thread_is_attributed_to_the_plugin_that_started_it, plugged_t, t) {
  may_end = false;
  starts = true;
  const plugin_t *starter = plugged_open(t, &STARTER);
  const plugin_t *caller = plugged_open_and_bind(t, &CALLER);
  plugged_tick(t);
  assert_logged(t, "plugin starter: function start started an undeclared thread");
  assert_null(strstr(t->logged, "plugin caller"));
  assert_int_equal(starter->undeclared_threads, 1);
  assert_int_equal(caller->undeclared_threads, 0);
  atomic_store(&may_end, true);
  pthread_join(made, NULL);
}

// --- many plugins with functions

static void return_42(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)c, (void)in;
  out[0].number = 42;
}

static const shoal_function ANSWERS[] = {{.name = "answer", .results = "n:number", .call = return_42}, {0}};

TEST_IN(function_of_the_200th_plugin_can_be_called, plugged_t, t) {
  static char names[200][16];
  static shoal_plugin defs[200];
  shoal_value results[PLUGIN_MAX_VALUES] = {0};
  const char *why = NULL;
  for (int i = 0; i < 200; ++i) {
    snprintf(names[i], sizeof names[i], "p%d", i);
    defs[i] = (shoal_plugin){.name = names[i], .version = 1, .functions = ANSWERS};
    plugged_open(t, &defs[i]);
  }
  context_t c = plugin_build_context(t->p->list.items[0], PLUGIN_CALL_SYSTEM);
  shoal_function_handle callee = shoal_try_find_function(&c.shared, "p199.answer", 1, "", "number", &why);
  assert_true(callee != 0);
  assert_true(shoal_try_call(&c.shared, callee, NULL, results, &why));
  assert_true(results[0].number == 42);
}

// --- managers of plugins that must not be called

static uint32_t loads;

static void *create(shoal_context *c) {
  (void)c;
  return &loads;
}
static void destroy(shoal_context *c, void *self) {
  (void)c, (void)self;
}
static void ignore_rows(shoal_context *c, void *self, const shoal_entity *entities, uint32_t count) {
  (void)c, (void)self, (void)entities, (void)count;
}
static uint32_t count_rows(void *self) {
  (void)self;
  return 0;
}
static size_t save_bytes(shoal_context *c, void *self) {
  (void)c, (void)self;
  return 0;
}
static void save(shoal_context *c, void *self, void *bytes) {
  (void)c, (void)self, (void)bytes;
}
static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c, (void)self, (void)bytes, (void)size;
  ++loads;
  return true;
}
static const shoal_manager MANAGER = {1,          create,     destroy, ignore_rows, ignore_rows,
                                      count_rows, save_bytes, save,    load,        NULL};
#define VALUE_FIELDS(F) F(f32, value, 1)
SHOAL_COMPONENT_WITH_MANAGER(port, VALUE_FIELDS, &MANAGER)
static const shoal_component *const COMPONENTS[] = {&port_component, NULL};
static const shoal_plugin OUTSIDE = {.name = "outside", .components = COMPONENTS, .has_side_effects = true};

TEST_IN(restore_in_a_fork_does_not_call_managers_of_inactive_plugins, plugged_t, t) {
  loads = 0;
  plugged_open_and_bind(t, &OUTSIDE);
  manager_o *m = get_component(t, "port");
  plugins_mark_forked(t->p);
  m->hooks.load(m->hooks.context, t->w, m, 1, NULL, 0);
  assert_int_equal(loads, 0);
  t->p->desc.forked = false; // lets the fixture close the plugin as in the original process
}
