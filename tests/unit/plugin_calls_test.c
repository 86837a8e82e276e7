// Every call to a plugin (the table in design note 13) with a body that is slow, endless, or throws an exception.
//
// One plugin has all callbacks, and one sequence of host functions calls each of them. In every run, a single callback
// misbehaves. Constructors and destructors of libraries are tested in tests/scenarios/hostile_plugins.sh.
#include "plugin_fixture.h"
#include "temporary_folder.h"
#include "../slowdown.h"

#include "base/files.h"
#include "base/now.h"
#include "plugin/panel.h"
#include "process/foreign_call.h"
#include "shoal/asset.h"
#include "shoal/command.h"
#include "shoal/external_resources.h"
#include "shoal/job.h"
#include "shoal/observe.h"
#include "snapshot/snapshot.h"
#include "snapshot/state.h"
#include "watchdog/watchdog.h"

#include <lauxlib.h>
#include <unistd.h>

#define SCRIPT_BUDGET_MS 2
#define SLOW_MS 30 // longer than the script budget and both stages of the watchdog

typedef enum how_t { FINE, SLOW, ENDLESS, THROWS } how_t;

typedef struct point_t {
  const char *callback; // name of the callback in this file
  const char *reported; // name of the callback in reports
  bool own_thread;      // runs on a separate thread, which has no time limit
} point_t;

static const point_t POINTS[] = {
    {"create", "manager create of store", false},
    {"destroy", "manager destroy of store", false},
    {"attach", "manager attach of store", false},
    {"detach", "manager detach of store", false},
    {"count", "manager count of store", false},
    {"save_bytes", "manager save_bytes of store", false},
    {"save", "manager save of store", false},
    {"load", "manager load of store", false},
    {"migrate", "manager migrate of store", false},
    {"open_after", "open", false},
    {"hand_over", "save_handover", false},
    {"close", "close", false},
    {"restored", "on_restore", false},
    {"run", "system calls.alone", false},
    {"run of a parallel system", "system calls.parallel", false},
    {"run of a system with .concurrent", "system calls.concurrent", false},
    {"run in the render phase", "system calls.drawn", false},
    {"enter", "system calls.observer", false},
    {"leave", "system calls.observer", false},
    {"changed", "system calls.observer", false},
    {"call", "function ask", false},
    {"draw", "panel Panel", false},
    {"draw of a pressed panel", "panel Panel", false},
    {"run of a command", "command Command", false},
    {"asset load", "asset a.note", false},
    {"asset unload", "unload a.note", false},
    {"part of shoal_parallel_for", "a part of shoal_parallel_for", false},
    {"read of shoal_read_external", "read of shoal_read_external", false},
    {"work", "job slow", true},
    {"work of a due job", "job due", true},
    {"thread", "thread own", true},
};
enum { POINT_COUNT = sizeof POINTS / sizeof *POINTS };

// --- the misbehaving callback

static struct {
  how_t how;
  const char *callback;
  uint32_t calls;     // number of calls to the selected callback
  volatile bool lost; // the limit of the call was exceeded
  char where[256];    // description of the call when its limit was exceeded
} bad;

static _Thread_local jmp_buf *catcher;
static _Thread_local const char *thrown;

// Stands in for the guard that the headers compile into C++ plugins.
static bool catch_throw(void (*call)(void *data), void *data, char *what, size_t bytes) {
  jmp_buf here, *outer = catcher;
  volatile bool ok = true;
  catcher = &here;
  if (setjmp(here) == 0)
    call(data);
  else
    ok = false;
  catcher = outer;
  if (!ok)
    snprintf(what, bytes, "thrown in %s", thrown);
  return ok;
}

static void spend_ms(int64_t ms) {
  int64_t until = now_thread_ns() + ms * NS_PER_MS;
  while (now_thread_ns() < until)
    ;
}

static void misbehave_in(const char *callback) {
  if (!bad.callback || strcmp(bad.callback, callback) != 0 || bad.calls++ > 0)
    return;
  if (bad.how == THROWS) {
    thrown = callback;
    longjmp(*catcher, 1);
  }
  if (bad.how == SLOW)
    spend_ms(SLOW_MS);
  while (bad.how == ENDLESS && !bad.lost)
    ;
}

static void on_lost(foreign_reason_t reason) {
  if (reason != FOREIGN_TIME || bad.lost)
    return;
  foreign_describe_call(bad.where, sizeof bad.where);
  bad.lost = true;
}

// --- the plugin

static uint32_t rows;

static void *create(shoal_context *c) {
  (void)c;
  misbehave_in("create");
  return &rows;
}
static void destroy(shoal_context *c, void *self) {
  (void)c, (void)self;
  misbehave_in("destroy");
}
static void attach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t n) {
  (void)c, (void)self, (void)entities;
  rows += n;
  misbehave_in("attach");
}
static void detach(shoal_context *c, void *self, const shoal_entity *entities, uint32_t n) {
  (void)c, (void)self, (void)entities;
  rows -= n;
  misbehave_in("detach");
}
static uint32_t count(void *self) {
  (void)self;
  misbehave_in("count");
  return rows;
}
static size_t save_bytes(shoal_context *c, void *self) {
  (void)c, (void)self;
  misbehave_in("save_bytes");
  return sizeof rows;
}
static void save(shoal_context *c, void *self, void *bytes) {
  (void)c, (void)self;
  memcpy(bytes, &rows, sizeof rows);
  misbehave_in("save");
}
static bool load(shoal_context *c, void *self, const void *bytes, size_t size) {
  (void)c, (void)self;
  rows = 0;
  if (bytes && size == sizeof rows)
    memcpy(&rows, bytes, size);
  misbehave_in("load");
  return true;
}
static bool migrate(shoal_context *c, void *self, uint32_t from_version, const void *bytes, size_t size) {
  (void)from_version;
  bool ok = load(c, self, bytes, size);
  misbehave_in("migrate");
  return ok;
}
static const shoal_manager MANAGER = {2, create, destroy, attach, detach, count, save_bytes, save, load, migrate};

#define VALUE_FIELDS(F) F(f32, value, 1)
SHOAL_COMPONENT_WITH_MANAGER(store, VALUE_FIELDS, &MANAGER)
SHOAL_COMPONENT(mark, VALUE_FIELDS)

static void *open_after(shoal_context *c, const shoal_handover *previous) {
  (void)c, (void)previous;
  misbehave_in("open_after");
  return NULL;
}
static size_t hand_over(shoal_context *c, void *self, void *bytes, size_t room) {
  (void)c, (void)self, (void)room;
  misbehave_in("hand_over");
  if (bytes)
    memset(bytes, 1, 4);
  return 4;
}
static void close_plugin(shoal_context *c, void *self) {
  (void)c, (void)self;
  misbehave_in("close");
}
static void restored(shoal_context *c) {
  (void)c;
  misbehave_in("restored");
}
static void run_part(void *data, uint32_t number, uint32_t worker) {
  (void)data, (void)number, (void)worker;
  misbehave_in("part of shoal_parallel_for");
}
static size_t read_nothing(void *data, void *bytes, size_t room) {
  (void)data, (void)bytes, (void)room;
  misbehave_in("read of shoal_read_external");
  return 0;
}
static size_t run_job(const void *input, size_t size, void *output, size_t room, const shoal_stop_token *stop) {
  (void)input, (void)size, (void)output, (void)room, (void)stop;
  misbehave_in("work");
  return 0;
}
static size_t run_due_job(const void *input, size_t size, void *output, size_t room, const shoal_stop_token *stop) {
  (void)input, (void)size, (void)output, (void)room, (void)stop;
  misbehave_in("work of a due job");
  return 0;
}
static void run_alone(shoal_context *c, const shoal_view *v, float dt_s) {
  size_t size;
  (void)v, (void)dt_s;
  misbehave_in("run");
  shoal_parallel_for(c, run_part, NULL, 1);
  shoal_read_external(c, "port", read_nothing, NULL, 8, &size);
  shoal_get_asset(c, "a.note", NULL);
  if (shoal_tick(c) >= 2) // requested only once it is due, so the tick has to start its thread
    shoal_poll_job(c, &(shoal_job){.name = "due", .work = run_due_job, .output_capacity = 8, .due_tick = 1}, &size);
  shoal_poll_job(c, &(shoal_job){.name = "slow", .work = run_job, .output_capacity = 8}, &size);
}
static void run_parallel(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
  misbehave_in("run of a parallel system");
}
static void run_concurrent(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
  misbehave_in("run of a system with .concurrent");
}
static void run_drawn(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c, (void)v, (void)dt_s;
  misbehave_in("run in the render phase");
}
static void enter(shoal_context *c, const shoal_entity *entities, uint32_t n, float dt_s) {
  (void)c, (void)entities, (void)n, (void)dt_s;
  misbehave_in("enter");
}
static void leave(shoal_context *c, const shoal_entity *entities, uint32_t n, float dt_s) {
  (void)c, (void)entities, (void)n, (void)dt_s;
  misbehave_in("leave");
}
static void changed(shoal_context *c, const shoal_entity *entities, uint32_t n, float dt_s) {
  (void)c, (void)entities, (void)n, (void)dt_s;
  misbehave_in("changed");
}
static void call_named_function(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)c, (void)arguments, (void)results;
  misbehave_in("call");
}
static void draw(shoal_context *c, shoal_entity picked) {
  (void)picked;
  bool pressed = shoal_panel_button(c, "Press");
  misbehave_in(pressed ? "draw of a pressed panel" : "draw");
}
static void command(shoal_context *c, shoal_entity picked) {
  (void)c, (void)picked;
  misbehave_in("run of a command");
}
static void *load_note(shoal_context *c, const char *name, const void *bytes, size_t size) {
  (void)c, (void)name, (void)bytes, (void)size;
  misbehave_in("asset load");
  return &rows;
}
static void unload_note(shoal_context *c, void *data) {
  (void)c, (void)data;
  misbehave_in("asset unload");
}
static void run_thread(const shoal_stop_token *stop, void *self) {
  (void)self;
  misbehave_in("thread");
  while (!shoal_stop_requested(stop))
    usleep(1000);
}

static const shoal_component *const COMPONENTS[] = {&store_component, &mark_component, NULL};
static const shoal_system SYSTEMS[] = {
    {.name = "alone", .run = run_alone},
    {.name = "parallel", .query = {"mark"}, .parallel = true, .run = run_parallel},
    {.name = "concurrent", .query = {"mark"}, .reads = {"mark"}, .concurrent = true, .run = run_concurrent},
    {.name = "drawn", .phase = SHOAL_PHASE_RENDER, .run = run_drawn},
    {0}};
static const shoal_plugin DEF = {
    .name = "calls",
    .version = 1,
    .components = COMPONENTS,
    .systems = SYSTEMS,
    .functions = (const shoal_function[]){{.name = "ask", .call = call_named_function}, {0}},
    .close = close_plugin,
    .on_restore = restored,
    .panels = (const shoal_panel[]){{.title = "Panel", .draw = draw}, {0}},
    .threads = (const shoal_thread[]){{.name = "own", .run = run_thread}, {0}},
    .reopen = open_after,
    .save_handover = hand_over,
    .observers =
        (const shoal_observer[]){
            {.name = "observer", .query = {"mark"}, .enter = enter, .leave = leave, .changed = changed}, {0}},
    .commands = (const shoal_command[]){{.name = "Command", .run = command}, {0}},
    .assets = (const shoal_asset_type[]){{.extension = ".note", .load = load_note, .unload = unload_note}, {0}},
};

// --- the sequence of calls

static char messages[8192]; // all errors, reports and log lines

static void add_message(const char *text) {
  size_t used = strlen(messages);
  snprintf(messages + used, sizeof messages - used, "%s\n", text);
}

static char folder[64], asset[sizeof folder + 8]; // the game's assets, and one of them

static void setup(void) {
  temporary_folder_create(folder, sizeof folder, "calls");
  snprintf(asset, sizeof asset, "%s/a.note", folder);
  assert_true(file_write(asset, "note", 4, NULL));
}

static void teardown(void) {
  temporary_folder_remove(folder);
}
GROUP_FIXTURE(setup, teardown)

static plugged_t *create_game(plugged_t *before) {
  plugged_t *t = plugged_create(1);
  error_info_t error = {0};
  t->p->desc.budget_ms = 1;
  t->p->desc.previous = before ? before->p : NULL;
  snprintf(t->assets.game, sizeof t->assets.game, "%s", folder);
  if (!plugged_try_open(t, &DEF, catch_throw, &error)) {
    add_message(error.text);
    plugged_destroy(t);
    return NULL;
  }
  plugged_bind(t);
  return t;
}

// Closes the plugin, collects the messages that this causes, and destroys the game.
static void destroy_game(plugged_t *t) {
  plugin_t *x = t->p->list.items[--t->p->list.count];
  plugin_end_instance(t->p, x);
  add_message(t->logged);
  add_message(plugged_pop_report(t));
  alloc_resize(&t->p->memory, x, sizeof *x, 0);
  plugged_destroy(t);
}

static void draw_frame(plugged_t *t) {
  draw_reset(t->draw);
  schedule_run(t->s, t->w, PHASE_RENDER, 0.5f);
}

static void tick_and_collect_reports(plugged_t *t) {
  plugged_tick(t);
  for (const char *report = plugged_pop_report(t); report[0]; report = plugged_pop_report(t))
    add_message(report);
}

static void use_panels(plugged_t *t) {
  static plugin_widgets_t out;
  shoal_value results[PLUGIN_MAX_VALUES];
  const struct {
    uint32_t panel;
    const char *pressed;
  } presses[] = {{0, NULL}, {0, "Press"}, {PLUGIN_COMMANDS_OFFSET, NULL}};
  error_info_t error = {0};
  for (size_t i = 0; i < sizeof presses / sizeof *presses; ++i)
    if (!plugin_draw_panel(t->p, 0, presses[i].panel, 0, presses[i].pressed, &out, &error))
      add_message(error.text);
  if (!plugin_call_by_number(t->p, 0, 0, NULL, results, &error))
    add_message(error.text);
}

static void save_and_restore(plugged_t *t) {
  allocator_t memory = {0};
  snapshot_o *s = snapshot_create(&memory);
  manager_o *m = get_component(t, "store");
  assert_true(snapshot_take(s, t->w, NULL));
  assert_true(snapshot_restore(s, t->w, NULL));
  snapshot_release(s);
  m->hooks.load(m->hooks.context, t->w, m, 1, &m->count, sizeof m->count);
}

static void call_everything(bool own_thread) {
  plugged_t *t = create_game(NULL), *next;
  if (!t)
    return;
  uint32_t mark = get_component(t, "mark")->id;
  shoal_entity e = SPAWN(t->w, get_component(t, "store")->id, mark), other = SPAWN(t->w, mark);
  tick_and_collect_reports(t);
  set(t->w, e, mark, 0, 7);
  tick_and_collect_reports(t);
  world_destroy_entity(t->w, other);
  world_remove_component(t->w, e, get_component(t, "store")->id, 0);
  add(t->w, e, get_component(t, "store")->id, 0);
  draw_frame(t);
  use_panels(t);
  save_and_restore(t);
  // On a busy machine, a thread may start late, and its exception may be reported late.
  for (int i = 0; i < 12000 * wall_slowdown() && bad.how == THROWS && own_thread && !messages[0]; ++i, usleep(5000))
    tick_and_collect_reports(t);
  tick_and_collect_reports(t);
  error_info_t error;
  assert_true(plugins_stop_threads(&error));
  next = create_game(t);
  if (next)
    destroy_game(next);
  destroy_game(t);
}

static void run_misbehaving_game(how_t how, const point_t *point) {
  memset(&bad, 0, sizeof bad);
  messages[0] = '\0';
  rows = 0;
  bad.how = how;
  bad.callback = point->callback;
  call_everything(point->own_thread);
  if (bad.calls == 0)
    fail_msg("%s was not called", point->callback);
}

// --- tests

static void check_slow_call(const point_t *point, lua_State *L) {
  watchdog_guard_t guard;
  volatile bool completed = false;
  char inside[64];
  if (setjmp(guard.out) == 0) {
    watchdog_begin(&guard, L, SCRIPT_BUDGET_MS);
    run_misbehaving_game(SLOW, point);
    completed = true;
  }
  assert_int_equal(watchdog_end(&guard), WATCHDOG_TIME);
  if (!completed || foreign_describe_call(inside, sizeof inside)[0])
    fail_msg("%s: completed %d, inside '%s'", point->callback, completed, inside);
}

TEST(every_slow_call_returns_before_the_watchdog_stops_the_script) {
  for (int i = 0; i < POINT_COUNT; ++i) {
    lua_State *L = POINTS[i].own_thread ? NULL : luaL_newstate();
    if (!L)
      continue;
    check_slow_call(&POINTS[i], L);
    lua_close(L);
  }
}

TEST(every_endless_call_exceeds_its_limit_and_is_named) {
  const char *is_long = getenv("LONG"); // a normal run tests every third call, because each takes more than 100 ms
  for (int i = 0; i < POINT_COUNT; i += is_long && is_long[0] ? 1 : 3) {
    char expected[128];
    if (POINTS[i].own_thread)
      continue;
    foreign_set_lost_callback(on_lost);
    run_misbehaving_game(ENDLESS, &POINTS[i]);
    foreign_set_lost_callback(NULL);
    snprintf(expected, sizeof expected, "plugin calls, %s", POINTS[i].reported);
    if (strcmp(bad.where, expected) != 0)
      fail_msg("%s: got '%s', expected '%s'", POINTS[i].callback, bad.where, expected);
  }
}

TEST(every_throwing_call_fails_with_the_exception) {
  for (int i = 0; i < POINT_COUNT; ++i) {
    char expected[128], inside[64];
    run_misbehaving_game(THROWS, &POINTS[i]);
    snprintf(expected, sizeof expected, "an exception was thrown: thrown in %s", POINTS[i].callback);
    if (!strstr(messages, expected) || foreign_describe_call(inside, sizeof inside)[0])
      fail_msg("expected '%s', inside '%s', got: %s", expected, inside, messages);
  }
}
