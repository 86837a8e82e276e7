// Invalid uses of <shoal/host.h> and <shoal/ecs.h>: each must fail with the expected message and leave the world
// unchanged. Prints a line for each, `ok` or `not ok`. Usage: library_misuse GAME (games/life_cycle).
#include <shoal/ecs.h>
#include <shoal/host.h>
#include <shoal/relation.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BODY(F) F(f32, x, 1) F(entity, target)
SHOAL_COMPONENT(body, BODY)
#define OTHER(F) F(f32, x, 1) F(i32, y, 1)
typedef struct other_columns {
  OTHER(SHOAL_MEMBER)
} other_columns;
static const shoal_field other_fields[] = {OTHER(SHOAL_FIELD)};
static const shoal_component other_component = {"body", SHOAL_KIND_COMPONENT, other_fields, 2, 2, NULL, {NULL}};
SHOAL_MANY(shots, BODY)
#define AGE(F) F(i32, limit, 0)
SHOAL_COMPONENT(age, AGE)

static shoal_host *host;
static uint64_t before;
static const char *game;

static void expect_error(const char *words, int fine) {
  char said[1200];
  snprintf(said, sizeof said, "%s", shoal_host_last_error());
  if (fine || !strstr(said, words))
    printf("not ok %s: %s “%s”\n", words, fine ? "the call succeeded," : "got", said);
  else if (host && shoal_hash(shoal_host_world(host)) != before)
    printf("not ok %s: the world has changed\n", words);
  else
    printf("ok %s\n", said);
}

static void expect_ecs_error(const char *words, int fine) {
  const char *said = shoal_ecs_last_error();
  printf("%s %s%s%s\n", fine || !strstr(said, words) ? "not ok" : "ok", words, fine ? ": the call succeeded, " : ": ",
         said);
}

static void expect_ecs_success(bool ok) {
  if (!ok)
    printf("not ok %s\n", shoal_ecs_last_error());
}

static shoal_host *create_host(shoal_host_options o) {
  o.game = o.game ? o.game : game;
  o.headless = true;
  o.no_stderr = true;
  return shoal_host_create(&o);
}

static void check_invalid_options(void) {
  shoal_host_options o = shoal_host_default_options();
  expect_error("options must not be NULL", shoal_host_create(NULL) != NULL);
  expect_error("options.game is missing", shoal_host_create(&o) != NULL);
  o.game = "nowhere/at/all";
  expect_error("folder not found", create_host(o) != NULL);
  o.game = "asteroid";
  expect_error("did you mean asteroids?", create_host(o) != NULL);
  o = shoal_host_default_options();
  o.version = 7;
  expect_error("options.version must be 2, got 7: compile with the <shoal/host.h>", create_host(o) != NULL);
  o.version = 1; // version of a program that was compiled for API 8
  expect_error("options.version must be 2, got 1: rename the words of the program (engine/docs/stability.md#from-api-8",
               create_host(o) != NULL);
  o = shoal_host_default_options();
  o.size = 4000;
  expect_error("got 4000", create_host(o) != NULL);
  o = shoal_host_default_options();
  memset(&o, 0, sizeof o);
  expect_error("start from shoal_host_default_options()", create_host(o) != NULL);
  o = shoal_host_default_options();
  o.root = "/";
  expect_error("/ does not contain scripts/shoal", create_host(o) != NULL);
  o = shoal_host_default_options();
  const char *words[] = {"--headles"};
  o.argv = words;
  o.argc = 1;
  expect_error("did you mean --headless?", create_host(o) != NULL);
  o = shoal_host_default_options();
  o.load = "no.save";
  expect_error("no.save", create_host(o) != NULL);
}

static void *call_on_wrong_thread(void *x) {
  (void)x;
  static char said[4][512];
  shoal_host_run_frame(host);
  snprintf(said[0], sizeof said[0], "%s", shoal_host_last_error());
  shoal_host_exec_lua(host, "return 1", NULL, 0);
  snprintf(said[1], sizeof said[1], "%s", shoal_host_last_error());
  shoal_host_options o = shoal_host_default_options();
  o.game = game;
  if (!shoal_host_create(&o))
    snprintf(said[2], sizeof said[2], "%s", shoal_host_last_error());
  shoal_host_destroy(host);
  snprintf(said[3], sizeof said[3], "%s", shoal_host_last_error());
  return said;
}

// --- every function, in every invalid situation
// tests/scenarios/library.sh checks that the lists contain every function of the headers.

#define HOST_CALLS(C)                                                                                                  \
  C(shoal_host_run_frame(h))                                                                                           \
  C(shoal_host_run_frame_at(h, 1))                                                                                     \
  C(shoal_host_pause(h, true))                                                                                         \
  C(shoal_host_step(h, 1))                                                                                             \
  C(shoal_host_rewind(h, 0))                                                                                           \
  C(shoal_host_reload(h))                                                                                              \
  C(shoal_host_restart(h))                                                                                             \
  C(shoal_host_stop(h))                                                                                                \
  C(shoal_host_exit_code(h))                                                                                           \
  C(shoal_host_get_state(h, &state))                                                                                   \
  C(shoal_host_set_viewport(h, 0, 0, 1, 1))                                                                            \
  C(shoal_host_process_event(h, &state))                                                                               \
  C(shoal_host_exec_lua(h, "return 1", NULL, 0))                                                                       \
  C(shoal_host_query(h, "SELECT 1", NULL, 0))

#define WORLD_CALLS(C)                                                                                                 \
  C(shoal_declare(w, &body_component))                                                                                 \
  C(shoal_find_component(w, "body"))                                                                                   \
  C(shoal_string(w, 0))                                                                                                \
  C(shoal_find_interned(w, "text"))                                                                                    \
  C(shoal_add_pair(w, 1, &body_component, 1))                                                                          \
  C(shoal_remove_pair(w, 1, &body_component, 1))                                                                       \
  C(shoal_has_pair(w, 1, &body_component, 1))                                                                          \
  C(shoal_pair_instance(w, 1, &body_component, 1))                                                                     \
  C(shoal_find_pair_row(w, &body_component, 1, 1))                                                                     \
  C(shoal_set_pair(w, 1, &body_component, 1, 0, 1))                                                                    \
  C(shoal_get_pair(w, 1, &body_component, 1, 0, &number))                                                              \
  C(shoal_set_pair_struct(w, 1, &body_component, 1, &number, 0))                                                       \
  C(shoal_get_pair_struct(w, 1, &body_component, 1, &number, 0))                                                       \
  C(shoal_get_targets(w, 1, &body_component, NULL, 0))                                                                 \
  C(shoal_get_referrers(w, 1, &body_component, NULL, 0))                                                               \
  C(shoal_query_pairs_begin(w, NULL, NULL, 0, &view))                                                                  \
  C(shoal_intern(w, "text"))                                                                                           \
  C(shoal_is_alive(w, 1))                                                                                              \
  C(shoal_find_entity(w, "Otto"))                                                                                      \
  C(shoal_spawn_many(w, "", 1, NULL))                                                                                  \
  C(shoal_spawn_with(w, "", NULL, 0))                                                                                  \
  C(shoal_destroy_many(w, &entity, 1))                                                                                 \
  C(shoal_has(w, 1, &body_component))                                                                                  \
  C(shoal_add_instance(w, 1, &body_component, NULL))                                                                   \
  C(shoal_remove_instance(w, 1, &body_component, NULL))                                                                \
  C(shoal_set_instance(w, 1, &body_component, NULL, 0, 1))                                                             \
  C(shoal_get_instance(w, 1, &body_component, NULL, 0, &number))                                                       \
  C(shoal_set_string_instance(w, 1, &body_component, NULL, 0, "calm"))                                                 \
  C(shoal_get_column_string(w, &body_component, 0, 0))                                                                 \
  C(shoal_add_with(w, 1, NULL, 0))                                                                                     \
  C(shoal_observe_changes(w, "eye", &(shoal_query_desc){.with = {"body"}}, true, &lists))                              \
  C(shoal_set_struct(w, 1, &body_component, &values, sizeof values))                                                   \
  C(shoal_get_struct(w, 1, &body_component, &values, sizeof values))                                                   \
  C(shoal_enter_state(w, 1, "calm"))                                                                                   \
  C(shoal_entity_state(w, 1))                                                                                          \
  C(shoal_entity_name(w, 1))                                                                                           \
  C(shoal_entity_assemblage(w, 1))                                                                                     \
  C(shoal_get_children(w, 1, NULL, 0))                                                                                 \
  C(shoal_get_rows(w, &body_component))                                                                                \
  C(shoal_find_rows(w, &body_component, &entity, 1, &row))                                                             \
  C(shoal_find_instance_row(w, &body_component, 1, "left"))                                                            \
  C(shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &view))                                                \
  C(shoal_query_end(w, &view))                                                                                         \
  C(shoal_row_instance(w, &view, &body_component, 0))                                                                  \
  C(shoal_emit_begin(w, &body_component, 1))                                                                           \
  C(shoal_emit_end(w, &body_component))                                                                                \
  C(shoal_read_events(w, &body_component))                                                                             \
  C(shoal_event_get_instance(w, &body_component, 1, &body_component, NULL, 0, &number))                                \
  C(shoal_event_entity_state(w, &body_component, 1))                                                                   \
  C(shoal_hash(w))                                                                                                     \
  C(shoal_snapshot(w, NULL, 0))                                                                                        \
  C(shoal_restore(w, "", 1))                                                                                           \
  C(shoal_save(w, "x.save"))                                                                                           \
  C(shoal_load(w, "x.save"))

#define ECS_CALLS(C)                                                                                                   \
  C(shoal_ecs_define_assemblage(w, "new", SHOAL_COMPONENTS(body)))                                                     \
  C(shoal_ecs_define_assemblage_set(w, "new", &body_component, 0, 1))                                                  \
  C(shoal_ecs_create_group(w, &(shoal_query_desc){.with = {"body"}}))                                                  \
  C(shoal_ecs_run_tick(w))                                                                                             \
  C(shoal_ecs_manager_data(w, &body_component))                                                                        \
  C(shoal_ecs_run_parallel(w, NULL, NULL, NULL))                                                                       \
  C(shoal_ecs_set_worker_count(w, 1))                                                                                  \
  C(shoal_ecs_entity_count(w))

// Checks that the message begins with the name of the called function and contains the expected words.
static void expect_message(const char *call, const char *said, const char *words) {
  size_t name = strcspn(call, "(");
  bool fine = strncmp(said, call, name) == 0 && strstr(said, words);
  printf("%s %s: %s: %s\n", fine ? "ok" : "not ok", words, call, said);
}

static void call_host_functions(shoal_host *h, const char *words) {
  shoal_host_state state = {.size = sizeof state};
#define CALL(...)                                                                                                      \
  {                                                                                                                    \
    __typeof__(__VA_ARGS__) ignored = __VA_ARGS__;                                                                     \
    (void)ignored;                                                                                                     \
    expect_message(#__VA_ARGS__, shoal_host_last_error(), words);                                                      \
  }
  HOST_CALLS(CALL)
#undef CALL
}

static void call_world_functions(shoal_world *w, const char *words) {
  double number;
  uint32_t row;
  body_values values = {0};
  shoal_entity entity = 1;
  shoal_view view = {0};
  shoal_observed lists;
#define CALL(...)                                                                                                      \
  {                                                                                                                    \
    __typeof__(__VA_ARGS__) ignored = __VA_ARGS__;                                                                     \
    (void)ignored;                                                                                                     \
    expect_message(#__VA_ARGS__, shoal_last_error(w), words);                                                          \
  }
  WORLD_CALLS(CALL)
#undef CALL
}

static void call_ecs_functions(shoal_world *w, const char *words) {
#define CALL(...)                                                                                                      \
  {                                                                                                                    \
    __typeof__(__VA_ARGS__) ignored = __VA_ARGS__;                                                                     \
    (void)ignored;                                                                                                     \
    expect_message(#__VA_ARGS__, shoal_ecs_last_error(), words);                                                       \
  }
  ECS_CALLS(CALL)
#undef CALL
}

static void *call_all_on_wrong_thread(void *world) {
  call_host_functions(host, "must be called on the thread");
  call_world_functions(shoal_host_world(host), "must be called on the thread");
  call_world_functions(world, "must be called on the thread");
  call_ecs_functions(world, "must be called on the thread");
  return NULL;
}

// Checks that an index out of range, or NULL instead of a result, gives NULL, 0 or "".
static void check_out_of_range_results(void) {
  shoal_host_result *rows = shoal_host_query(host, "SELECT 1 AS one", NULL, 0);
  bool fine = shoal_host_result_value(rows, 7, 0).type == SHOAL_HOST_NULL &&
              shoal_host_result_value(rows, 0, 7).type == SHOAL_HOST_NULL &&
              !shoal_host_result_column_name(rows, 3)[0] &&
              shoal_host_result_value(NULL, 0, 0).type == SHOAL_HOST_NULL && shoal_host_result_row_count(NULL) == 0 &&
              shoal_host_result_column_count(NULL) == 0 && shoal_host_result_changes(NULL) == 0 &&
              !shoal_host_result_column_name(NULL, 0)[0];
  shoal_host_result_free(rows);
  shoal_host_result_free(NULL);
  printf("%s out-of-range rows and columns of a result are NULL or empty\n", fine ? "ok" : "not ok");
}

static void check_all_functions(void) {
  pthread_t thread;
  shoal_world *world = shoal_ecs_create(SHOAL_COMPONENTS(body));
  pthread_create(&thread, NULL, call_all_on_wrong_thread, world);
  pthread_join(thread, NULL);
  shoal_ecs_destroy(world);
  call_ecs_functions(world, "the world was destroyed");
  call_world_functions(world, "the world was destroyed");
  call_ecs_functions(NULL, "world must not be NULL");
  call_host_functions(NULL, "host must not be NULL");
  call_host_functions((shoal_host *)&before, "host must be the result of shoal_host_create");
  shoal_host *gone = create_host(shoal_host_default_options());
  shoal_host_destroy(gone);
  call_host_functions(gone, "the host was destroyed");
  call_world_functions(shoal_host_world(gone), "the host was destroyed");
  printf("%s the calls leave the world unchanged\n", shoal_hash(shoal_host_world(host)) == before ? "ok" : "not ok");
}

static void check_wrong_thread(void) {
  pthread_t thread;
  void *said = NULL;
  pthread_create(&thread, NULL, call_on_wrong_thread, NULL);
  pthread_join(thread, &said);
  for (int i = 0; i < 4; ++i) {
    const char *line = ((char(*)[512])said)[i];
    printf("%s %s\n",
           strstr(line, "must be called on the thread") && shoal_hash(shoal_host_world(host)) == before ? "ok"
                                                                                                        : "not ok",
           line);
  }
}

static void check_invalid_calls(void) {
  shoal_host_value value = shoal_host_integer_value(1);
  expect_error("options.external_clock is not set", shoal_host_run_frame_at(host, 1.0));
  expect_error("no such column: agee", shoal_host_query(host, "SELECT agee FROM age", NULL, 0) != NULL);
  expect_error("(count 2)", shoal_host_query(host, "SELECT ?", &value, 65) != NULL ||
                                !strstr(shoal_host_last_error(), "too many values: 65") ||
                                shoal_host_query(host, "SELECT ?", NULL, 2) != NULL);
  value.type = (shoal_host_type)9;
  expect_error("kind 9", shoal_host_query(host, "SELECT ?", &value, 1) != NULL);
  expect_error("sql must not be NULL", shoal_host_query(host, NULL, NULL, 0) != NULL);
  expect_error("UPDATE", shoal_host_query(host, "UPDATE age SET limit_ = 'a' WHERE UPDATE", NULL, 0) != NULL ||
                             !snprintf((char[2]){0}, 2, "x") || !shoal_host_last_error()[0]);
  expect_error("wrong", shoal_host_exec_lua(host, "error('wrong')", NULL, 0));
  expect_error("line 2: wrong", shoal_host_exec_lua(host, "local x = 1\nerror('wrong')", NULL, 0));
  expect_error("line 2: ", shoal_host_exec_lua(host, "local x\nreturn x.y", NULL, 0));
  char result[16];
  expect_error("…", !shoal_host_exec_lua(host, "return ('ä'):rep(100)", result, sizeof result) ||
                        strcmp(result, "ääääää…") != 0 || shoal_host_exec_lua(host, "error('…')", NULL, 0));
  expect_error("lua must not be NULL", shoal_host_exec_lua(host, NULL, NULL, 0));
  shoal_world *w = shoal_host_world(host);
  const shoal_component *age = shoal_find_component(w, "age"), *sprite = shoal_find_component(w, "sprite");
  expect_error("did you mean cell?", shoal_spawn(w, "cel") != 0);
  expect_error("is not alive", shoal_destroy(w, 4000));
  expect_error("entity 0 is not alive", shoal_destroy(w, 0));
  expect_error("is not alive", shoal_set(w, 77777, age, shoal_find_column(age, "ticks"), 1));
  shoal_entity first = shoal_get_rows(w, age).entities[0];
  expect_error("did you mean transform?", shoal_find_component(w, "transfrom") != NULL);
  expect_error("`component` must not be NULL", shoal_add(w, first, NULL));
  expect_error("is not alive", shoal_remove(w, 99999, age));
  expect_error("has no sprite", shoal_get(w, first, sprite, shoal_find_column(sprite, "width"), &(double){0}));
  expect_error("no column of age", shoal_set(w, first, age, shoal_find_column(age, "weight"), 1));
  expect_error("age.limit must be a string, asset or enum field",
               shoal_set_string(w, first, age, shoal_find_column(age, "limit"), "nine"));
  expect_error("age.limit must be a string, asset or enum field",
               shoal_get_column_string(w, age, shoal_find_column(age, "limit"), 1)[0] != 0);
  expect_error("the name of an observer must have",
               shoal_observe_changes(w, "", &(shoal_query_desc){.with = {"age"}}, false, &(shoal_observed){0}));
  expect_error("bytes, got", shoal_set_struct(w, first, age, &value, 1));
  expect_error("the history is disabled", shoal_host_rewind(host, 5));
  expect_error("options.window is not set", shoal_host_process_event(host, &value));
  expect_error("width and height must be at least 1", shoal_host_set_viewport(host, 0, 0, 0, 0));
  expect_error("there_is/no/folder", shoal_save(w, "there_is/no/folder/x.save"));
  expect_error("missing.save", shoal_load(w, "missing.save"));
  expect_error("sizeof(shoal_host_state)", shoal_host_get_state(host, &(shoal_host_state){.size = 9999}));
  expect_error("sizeof(shoal_host_state)", shoal_host_get_state(host, NULL));
}

static void check_broken_reload(void) {
  char path[1024], kept[8192];
  snprintf(path, sizeof path, "%s/assemblages.lua", game);
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(kept, 1, sizeof kept, file) : 0;
  if (file)
    fclose(file);
  file = fopen(path, "w");
  if (!file)
    return;
  fputs("return { cell = ", file);
  fclose(file);
  expect_error("assemblages.lua:1", shoal_host_reload(host));
  expect_error("assemblages.lua:1", shoal_host_restart(host));
  file = fopen(path, "w");
  if (!file)
    return;
  fwrite(kept, 1, size, file);
  fclose(file);
  printf("%s a fixed file is loaded by the next reload: %s\n", shoal_host_reload(host) ? "ok" : "not ok",
         shoal_host_last_error());
  before = shoal_hash(shoal_host_world(host));
}

static char from_callback[512];

static void on_log(void *context, shoal_host_log_level level, const char *line) {
  (void)level, (void)line;
  if (!*(shoal_host **)context || from_callback[0])
    return;
  call_host_functions(*(shoal_host **)context, "in a callback of shoal_host_exec_lua");
  call_world_functions(shoal_host_world(*(shoal_host **)context), "in a callback of shoal_host_exec_lua");
  if (!shoal_host_step(*(shoal_host **)context, 1))
    snprintf(from_callback, sizeof from_callback, "%s", shoal_host_last_error());
}

static void check_calls_in_callback(void) {
  static shoal_host *noisy;
  shoal_host_options o = shoal_host_default_options();
  o.context = &noisy;
  o.on_log = on_log;
  o.external_clock = true;
  noisy = create_host(o);
  if (noisy)
    shoal_host_exec_lua(noisy, "print('heard')", NULL, 0);
  printf("%s %s\n", strstr(from_callback, "in a callback of shoal_host_exec_lua") ? "ok" : "not ok", from_callback);
  if (!shoal_host_run_frame_at(noisy, 5.0))
    printf("not ok a frame at 5 s: %s\n", shoal_host_last_error());
  expect_error("must not decrease", shoal_host_run_frame_at(noisy, 4.0));
  expect_error("time must be from 0 to 1e9 s", shoal_host_run_frame_at(noisy, -1.0));
  expect_error("time must be from 0 to 1e9 s", shoal_host_run_frame_at(noisy, 1.0 / (noisy ? 0.0 : 1.0)));
  expect_error("time must be from 0 to 1e9 s", shoal_host_run_frame_at(noisy, 1.000000001e9));
  printf("%s a frame at 1e9 s: %s\n", shoal_host_run_frame_at(noisy, 1e9) ? "ok" : "not ok", shoal_host_last_error());
  expect_error("options.external_clock is set", shoal_host_run_frame(noisy));
  shoal_host_destroy(noisy);
}

// Sets and reads fields by component and field name.
static void check_fields(void) {
  static const struct {
    const char *component, *field, *text;
    double number;
  } tried[] = {
      {"name", "value", "a \"quoted\"\n\\ name", 0}, {"age", "limit", NULL, 12}, {"transform", "x", NULL, 0.5}};
  shoal_host *h = create_host(shoal_host_default_options());
  shoal_world *w = shoal_host_world(h);
  shoal_entity e = shoal_spawn(w, "cell");
  shoal_add(w, e, shoal_find_component(w, "name"));
  for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i) {
    const shoal_component *c = shoal_find_component(w, tried[i].component);
    uint32_t column = shoal_find_column(c, tried[i].field);
    double number = tried[i].text ? shoal_intern(w, tried[i].text) : tried[i].number, out = 0;
    bool fine = shoal_set(w, e, c, column, number) && shoal_get(w, e, c, column, &out) && out == number;
    printf("%s %s.%s can be set and read: %s\n", fine ? "ok" : "not ok", tried[i].component, tried[i].field,
           shoal_last_error(w));
  }
  printf("%s an entity can be found by its name\n", shoal_find_entity(w, tried[0].text) == e ? "ok" : "not ok");
  const shoal_component *sprite = shoal_find_component(w, "sprite");
  bool fine =
      shoal_add(w, e, sprite) && shoal_has(w, e, sprite) && shoal_remove(w, e, sprite) && !shoal_has(w, e, sprite);
  printf("%s a component can be added and removed: %s\n", fine ? "ok" : "not ok", shoal_last_error(w));
  shoal_host_destroy(h);
}

static void check_recordings(void) {
  shoal_host_options o = shoal_host_default_options();
  o.record = "taken.replay";
  shoal_host *taken = create_host(o);
  if (!taken)
    printf("not ok a recording can be made: %s\n", shoal_host_last_error());
  expect_error("a recording is made", shoal_host_query(taken, "UPDATE age SET ticks = 3", NULL, 0) != NULL);
  expect_error("while recording", shoal_load(shoal_host_world(taken), "missing.save"));
  shoal_world *w = shoal_host_world(taken);
  shoal_view v;
  expect_error("a recording is made", shoal_restore(w, "", 1));
  shoal_declare(w, &age_component);
  expect_error("cannot write age in place during recording or replay",
               shoal_query_begin(w, &(shoal_query_desc){.with = {"age"}}, &v));
  shoal_entity cell = shoal_spawn(w, "cell");
  if (!cell || !shoal_set(w, cell, &age_component, 0, 9) || !shoal_host_step(taken, 30))
    printf("not ok a recorded world can be changed: %s\n", shoal_host_last_error());
  uint64_t hash = shoal_hash(shoal_host_world(taken));
  shoal_host_destroy(taken);
  o.record = NULL;
  o.replay = "taken.replay";
  taken = create_host(o);
  expect_error("cannot change the world during a replay", shoal_host_exec_lua(taken, "world.spawn('cell')", NULL, 0));
  shoal_host_step(taken, 30);
  printf("%s a host's recording replays to the same hash: %s\n",
         shoal_hash(shoal_host_world(taken)) == hash ? "ok" : "not ok", shoal_host_last_error());
  shoal_host_destroy(taken);
}

static void check_calls_after_stop(void) {
  shoal_host_stop(host);
  expect_error("", shoal_host_run_frame(host));
  expect_error("the last frame has already been run", shoal_host_run_frame(host));
  expect_error("the last frame has already been run", shoal_host_step(host, 1));
  expect_error("the last frame has already been run", shoal_host_reload(host));
  shoal_host_destroy(host);
  shoal_host *gone = host;
  host = NULL;
  expect_error("the host was destroyed", shoal_host_run_frame(gone));
  expect_error("the host was destroyed", shoal_host_get_state(gone, NULL) || shoal_hash(shoal_host_world(gone)));
  expect_error("the host was destroyed", shoal_save(shoal_host_world(gone), "x.save"));
  shoal_host_destroy(gone);
  expect_error("the host was destroyed", 0);
  expect_error("host must not be NULL", shoal_host_run_frame(NULL));
  expect_error("host must be the result of shoal_host_create", shoal_host_run_frame((shoal_host *)&before));
}

static void check_entities(void) {
  shoal_view view, again;
  double value;
  body_values values;
  shoal_world *w = shoal_ecs_create(SHOAL_COMPONENTS(body));
  shoal_ecs_define_assemblage(w, "thing", SHOAL_COMPONENTS(body));
  shoal_entity e = shoal_spawn(w, "thing"), bare = shoal_spawn(w, "");
  expect_ecs_error("`component` must not be NULL", shoal_declare(w, NULL));
  expect_ecs_error("body", shoal_declare(w, &other_component));
  expect_ecs_error("unknown component bod: did you mean body?", shoal_find_component(w, "bod") != NULL);
  expect_ecs_error("assemblage thing already exists", shoal_ecs_define_assemblage(w, "thing", SHOAL_COMPONENTS(body)));
  expect_ecs_error("unknown component age", shoal_add(w, e, &age_component));
  expect_ecs_error("column 2 of body is out of range (count 2)", shoal_set(w, e, &body_component, 2, 1));
  expect_ecs_error("has no body", shoal_get(w, bare, &body_component, 0, &value));
  expect_ecs_error("has no body", SHOAL_GET(w, bare, body, &values));
  expect_ecs_error("has no body", shoal_remove(w, bare, &body_component));
  expect_ecs_error("is not alive", shoal_destroy(w, 12345));
  expect_ecs_error("unknown assemblage thin: did you mean thing?", shoal_spawn(w, "thin") != 0);
  expect_ecs_error("in .with or .any", shoal_query_begin(w, &(shoal_query_desc){.without = {"body"}}, &view));
  expect_ecs_error("the query is not open", shoal_query_end(w, &view));
  expect_ecs_success(shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &view));
  shoal_destroy(w, view.entities[0]);
  expect_ecs_error("is not alive", shoal_destroy(w, view.entities[0]));
  expect_ecs_error("a query is open", shoal_declare(w, &shots_component));
  expect_ecs_error("a query is open", shoal_snapshot(w, NULL, 0) != 0);
  expect_ecs_error("a query is open", shoal_ecs_run_tick(w));
  expect_ecs_error("a query is open", shoal_ecs_destroy(w));
  expect_ecs_success(shoal_query_begin(w, &(shoal_query_desc){.with = {"body"}}, &again));
  shoal_query_end(w, &view); // also ends the nested query `again`
  expect_ecs_error("the query is not open", shoal_query_end(w, &again));
  expect_ecs_error("must be an event, got a component", shoal_emit_end(w, &body_component));
  shoal_ecs_destroy(w);
  expect_ecs_error("the world was destroyed", shoal_ecs_entity_count(w) != 0);
  expect_ecs_error("world must not be NULL", shoal_ecs_run_tick(NULL));
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  game = argv[1];
  check_invalid_options();
  host = create_host(shoal_host_default_options());
  if (!host || !shoal_host_step(host, 3))
    return printf("not ok the game starts: %s\n", shoal_host_last_error()), 1;
  before = shoal_hash(shoal_host_world(host));
  check_invalid_calls();
  check_wrong_thread();
  check_all_functions();
  check_out_of_range_results();
  check_broken_reload();
  check_calls_in_callback();
  check_fields();
  check_recordings();
  check_calls_after_stop();
  check_entities();
  return 0;
}
