// Calls every function of the plugin headers where it is not allowed, and with invalid arguments. The list of functions
// (shoal/functions.h) generates one system per function. Environment variables: PLACE selects the place from which
// these systems call their functions; FUZZ is the seed for random calls with random arguments.
#include <shoal/asset.h>
#include <shoal/call.h>
#include <shoal/command.h>
#include <shoal/draw.h>
#include <shoal/input.h>
#include <shoal/job.h>
#include <shoal/near.h>
#include <shoal/observe.h>
#include <shoal/external_resources.h>
#include <shoal/profile.h>
#include <shoal/sound.h>
#include <shoal/table.h>
#include <shoal/world.h>

#include <pthread.h>
#include <stdlib.h>

#define LEAF_FIELDS(F) F(f32, x, 0) F(string, word, "") F(entity, on) F(vec2, way, 0, 0)
SHOAL_COMPONENT(leaf, LEAF_FIELDS)
SHOAL_MANY(bud, LEAF_FIELDS)
SHOAL_SINGLE(tree, LEAF_FIELDS)
SHOAL_EVENT(wind, LEAF_FIELDS)

static const char *place;                                // value of PLACE: where functions are called; may be NULL
static uint32_t seed;                                    // state of the random stream; 0: all arguments are valid
static shoal_context *kept;                              // context of `open`, invalid after `open` has returned
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // protects `seed`, which the parts of a parallel system share

static uint32_t next_random(void) {
  pthread_mutex_lock(&lock);
  seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
  uint32_t out = seed;
  pthread_mutex_unlock(&lock);
  return out;
}
#define ONE_OF(...) (list_[seed ? next_random() % (sizeof list_ / sizeof *list_) : 0])
#define PICK(type_, ...)                                                                                               \
  type_ list_[] = {__VA_ARGS__};                                                                                       \
  return ONE_OF(list_)

static shoal_entity pick_entity(void) {
  PICK(shoal_entity, 1, 0, 2, 3, UINT32_MAX, 1u << 31, next_random(), next_random() % 64);
}
static const char *pick_text(void) {
  PICK(const char *, "leaf", "", NULL, "no such thing", "a\nb", "stray.rustle", "\xff\xfe", "hum.ogg", "a.leaf", "left",
       "Otto", "transform", "a/b/c", "jump",
       "a text that is longer than the maximum length of any name, so that functions that copy it into a buffer must "
       "truncate or reject it");
}
static uint32_t pick_id(void) {
  PICK(uint32_t, 1, 0, 2, 7, 1000, UINT32_MAX, 1u << 31, next_random());
}
static uint32_t pick_count(void) {
  PICK(uint32_t, 1, 0, 2, 4);
}
static float pick_float(void) {
  PICK(float, 1, 0, -1, 1e30f, -1e30f, 1e30f * 1e30f, -(1e30f * 1e30f) + 1e30f * 1e30f, 0.5f, 1e-40f);
}
static const shoal_component *pick_component(void) {
  static const shoal_component strange = {.name = "strange"};
  PICK(const shoal_component *, &leaf_component, &tree_component, &bud_component, &wind_component, NULL, &strange);
}
static const uint8_t pixels[64];
static const float corners[64];
static shoal_entity some[8] = {1, 2, 3};
static uint32_t some_rows[8];
static size_t a_size;
static const char *a_text;
static float a_float[2];
static double a_double;
static shoal_value values[8], given[8]; // the host rejects results in memory that it has not allocated
static shoal_view a_view;
static shoal_vertex corner[6];

static size_t read_bytes(void *data, void *bytes, size_t room) {
  (void)data, (void)bytes;
  return seed ? next_random() % 3 * room : 0;
}
static size_t run_job(const void *input, size_t size, void *output, size_t room, const shoal_stop *stop) {
  (void)input, (void)size, (void)output, (void)stop;
  return seed ? next_random() % 3 * room : room;
}
static void ignore_part(void *data, uint32_t part, uint32_t worker) {
  (void)data, (void)part, (void)worker;
}
static shoal_job pick_job(void) {
  return (shoal_job){.name = pick_text(),
                     .work = seed && next_random() % 8 == 0 ? NULL : run_job,
                     .input = pixels,
                     .size = pick_count(),
                     .room = pick_count(),
                     .due = pick_id()};
}
static shoal_wanted pick_query(void) {
  return (shoal_wanted){.with = {pick_text(), seed && next_random() % 2 ? pick_text() : NULL},
                        .without = {seed ? pick_text() : NULL}};
}
static shoal_setting pick_setting(void) {
  return (shoal_setting){.component = pick_text(),
                         .field = seed ? pick_text() : "x",
                         .number = (double)pick_float(),
                         .text = seed ? pick_text() : NULL,
                         .child = seed && next_random() % 3 == 0 ? pick_text() : NULL,
                         .instance = seed && next_random() % 3 == 0 ? pick_text() : NULL};
}
static shoal_look pick_look(void) {
  return (shoal_look){.image = pick_count(),
                      .other = seed ? pick_count() : 0,
                      .asset = seed ? pick_text() : NULL,
                      .shader = seed ? pick_count() : 0};
}

// One call per function in the list (shoal/functions.h). This file does not compile if a call is missing.
#define CALL_tick shoal_tick(c)
#define CALL_tick_rate shoal_tick_rate(c)
#define CALL_random shoal_random(c)
#define CALL_log shoal_log(c, SHOAL_LOG_DEBUG, "%s", "said")
#define CALL_fail shoal_fail(c, "%s", "failed on purpose")
#define CALL_resize shoal_resize(c, shoal_resize(c, NULL, 0, 16), 16, 0)
#define CALL_state shoal_state(c)
#define CALL_self shoal_self(c, pick_component())
#define CALL_text shoal_text(shoal_world_of(c), pick_id())
#define CALL_text_id shoal_text_id(shoal_world_of(c), pick_text())
#define CALL_external shoal_external(c, pick_text(), read_bytes, NULL, pick_id(), &a_size)
#define CALL_component_named shoal_component_named(shoal_world_of(c), pick_text())
#define CALL_rows_of shoal_rows_of(shoal_world_of(c), pick_component())
#define CALL_rows shoal_rows(shoal_world_of(c), pick_component(), some, pick_count(), some_rows)
#define CALL_row_named                                                                                                 \
  shoal_world_of(c)->api->row_named(shoal_world_of(c), pick_component(), pick_entity(), pick_text())
#define CALL_alive shoal_alive(shoal_world_of(c), pick_entity())
#define CALL_spawn_many shoal_spawn_many(shoal_world_of(c), seed ? pick_text() : "", pick_count(), some)
#define CALL_spawn_with                                                                                                \
  shoal_spawn_tree(shoal_world_of(c), seed ? pick_text() : "", &(shoal_setting[1]){pick_setting()}[0], 1, some,        \
                   pick_count())
#define CALL_kill_many shoal_kill_many(shoal_world_of(c), some, pick_count())
#define CALL_add_named shoal_add_named(shoal_world_of(c), pick_entity(), pick_component(), seed ? pick_text() : NULL)
#define CALL_remove_named                                                                                              \
  shoal_remove_named(shoal_world_of(c), pick_entity(), pick_component(), seed ? pick_text() : NULL)
#define CALL_set_named                                                                                                 \
  shoal_set_named(shoal_world_of(c), pick_entity(), pick_component(), pick_text(), pick_count(), (double)pick_float())
#define CALL_get_named                                                                                                 \
  shoal_get_named(shoal_world_of(c), pick_entity(), pick_component(), pick_text(), pick_count(), &a_double)
#define CALL_set_struct                                                                                                \
  shoal_set_struct(shoal_world_of(c), pick_entity(), pick_component(), seed ? values : NULL,                           \
                   seed ? pick_id() % sizeof values : 0)
#define CALL_get_struct                                                                                                \
  shoal_get_struct(shoal_world_of(c), pick_entity(), pick_component(), seed ? given : NULL,                            \
                   seed ? pick_id() % sizeof given : 0)
#define CALL_set_text_named                                                                                            \
  shoal_set_text_named(shoal_world_of(c), pick_entity(), pick_component(), seed ? pick_text() : NULL, pick_count(),    \
                       pick_text())
#define CALL_text_of shoal_text_of(shoal_world_of(c), pick_component(), pick_count(), pick_count())
#define CALL_add_with shoal_add_with(shoal_world_of(c), pick_entity(), &(shoal_setting[1]){pick_setting()}[0], 1)
#define CALL_observe                                                                                                   \
  shoal_world_of(c)->api->observe(shoal_world_of(c), pick_text(), &(shoal_wanted[1]){pick_query()}[0], true,           \
                                  &(shoal_lists){0})
#define CALL_has shoal_has(shoal_world_of(c), pick_entity(), pick_component())
#define CALL_why shoal_why(shoal_world_of(c))
#define CALL_declare shoal_declare(shoal_world_of(c), pick_component())
#define CALL_hash shoal_hash(shoal_world_of(c))
#define CALL_snapshot shoal_snapshot(shoal_world_of(c), given, seed ? pick_id() % sizeof given : 0)
#define CALL_restore shoal_restore(shoal_world_of(c), values, seed ? pick_count() : 0)
#define CALL_save shoal_save(shoal_world_of(c), "stray.save")
#define CALL_load shoal_load(shoal_world_of(c), "stray.save")
#define CALL_enter shoal_world_of(c)->api->enter(shoal_world_of(c), pick_entity(), pick_text())
#define CALL_state_of shoal_world_of(c)->api->state_of(shoal_world_of(c), pick_entity())
#define CALL_name_of shoal_name_of(shoal_world_of(c), pick_entity())
#define CALL_assemblage_of shoal_assemblage_of(shoal_world_of(c), pick_entity())
#define CALL_children shoal_world_of(c)->api->children(shoal_world_of(c), pick_entity(), some, pick_count())
#define CALL_find shoal_world_of(c)->api->find(shoal_world_of(c), pick_text())
#define CALL_query shoal_world_of(c)->api->query(shoal_world_of(c), &(shoal_wanted[1]){pick_query()}[0], &a_view)
#define CALL_query_end shoal_world_of(c)->api->query_end(shoal_world_of(c), &a_view)
#define CALL_instance shoal_world_of(c)->api->instance(shoal_world_of(c), &a_view, pick_component(), pick_id())
#define CALL_emit_begin shoal_emit_begin(shoal_world_of(c), seed ? pick_component() : &wind_component, pick_id())
#define CALL_emit_end shoal_emit_end(shoal_world_of(c), seed ? pick_component() : &wind_component)
#define CALL_event_get_named                                                                                           \
  shoal_event_get_named(shoal_world_of(c), seed ? pick_component() : &wind_component, pick_entity(), pick_component(), \
                        pick_text(), pick_count(), &a_double)
#define CALL_event_state_of                                                                                            \
  shoal_event_state_of(shoal_world_of(c), seed ? pick_component() : &wind_component, pick_entity())
#define CALL_hear shoal_hear(shoal_world_of(c), seed ? pick_component() : &wind_component)
#define CALL_changes c->api->changes(c, pick_component())
#define CALL_workers shoal_workers(c)
#define CALL_jobs shoal_jobs(c, ignore_part, NULL, pick_count())
#define CALL_job_result c->api->job_result(c, &(shoal_job[1]){pick_job()}[0], &a_size)
#define CALL_give_numbers shoal_give_numbers(c, &given[0], pick_count())
#define CALL_give_entities shoal_give_entities(c, &given[0], pick_count())
#define CALL_give_text shoal_give_text(c, &given[0], pick_text())
#define CALL_give_bytes c->api->give_bytes(c, &given[0], pixels, pick_count())
#define CALL_table_begin c->api->table_begin(c, &given[pick_count() % 4], seed ? pick_text() : NULL)
#define CALL_put                                                                                                       \
  c->api->put(c, &given[pick_count() % 4], pick_text(),                                                                \
              &(shoal_value){.any = (shoal_any)pick_count(), .number = (double)pick_float(), .text = pick_text()})
#define CALL_table_end c->api->table_end(c, &given[pick_count() % 4])
#define CALL_function_of c->api->function_of(c, pick_text(), pick_count(), pick_text(), pick_text(), &a_text)
#define CALL_call c->api->call(c, pick_id(), values, given, &a_text)
#define CALL_asset forget_file(c, shoal_asset(c, pick_text(), &a_size))
#define CALL_asset_data c->api->asset_data(c, pick_text(), some_rows)
#define CALL_asset_wrong c->api->asset_wrong(c, pick_id(), "wrong")
#define CALL_hold c->api->hold(c, pick_text(), -1)
#define CALL_held c->api->held(c, pick_text())
#define CALL_drop c->api->drop(c, pick_text())
#define CALL_screen shoal_screen(c, a_float, a_float + 1)
#define CALL_draw_space shoal_draw_space(c, true)
#define CALL_draw_layer shoal_draw_layer(c, (int32_t)pick_id())
#define CALL_draw_colour shoal_draw_colour(c, pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_view shoal_draw_view(c, pick_entity())
#define CALL_draw_line shoal_draw_line(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_polygon shoal_draw_polygon(c, corners, pick_count(), true, pick_float())
#define CALL_draw_solids shoal_draw_solids(c, corners, pick_count() / 2)
#define CALL_draw_triangles c->api->draw_triangles(c, &(shoal_look[1]){pick_look()}[0], corner, pick_count())
#define CALL_draw_pass c->api->draw_pass(c, &(shoal_look[1]){pick_look()}[0])
#define CALL_draw_sprite                                                                                               \
  c->api->draw_sprite(c, &(shoal_sprite_desc){.image = pick_text(), .x = pick_float(), .frame = (int32_t)pick_id()})
#define CALL_draw_circle c->api->draw_circle(c, pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_rect                                                                                                 \
  c->api->draw_rect(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_words                                                                                                \
  c->api->draw_words(                                                                                                  \
      c, &(shoal_words){                                                                                               \
             .text = pick_text(), .font = seed ? pick_text() : NULL, .size = pick_float(), .wrap = pick_float()})
#define CALL_draw_at_depth c->api->draw_at_depth(c, pick_float())
#define CALL_draw_blend c->api->draw_blend(c, true)
#define CALL_draw_uniform c->api->draw_uniform(c, pick_count(), pick_text(), corners, pick_count())
#define CALL_texture_new                                                                                               \
  c->api->texture_new(                                                                                                 \
      c, &(shoal_texture_desc){.name = pick_text(), .width = pick_count(), .height = pick_count(), .rgba = pixels})
#define CALL_texture_put                                                                                               \
  c->api->texture_put(c, pick_count(), pick_count(), pick_count(), pick_count(), pick_count(), pixels)
#define CALL_texture_free c->api->texture_free(c, pick_count())
#define CALL_shader_new                                                                                                \
  c->api->shader_new(c, &(shoal_shader_desc){.name = pick_text(),                                                      \
                                             .fragment = seed ? pick_text() : "void main() { result = v_colour; }"})
#define CALL_shader_free c->api->shader_free(c, pick_count())
#define CALL_action c->api->action(c, pick_text(), (int32_t)pick_count(), a_float, a_float + 1)
#define CALL_mouse_now c->api->mouse_now(c, &(shoal_mouse){0})
#define CALL_find_text_id shoal_find_text_id(shoal_world_of(c), pick_text())
#define CALL_find_near c->api->find_near(c, pick_float(), pick_float(), pick_float(), pick_count(), some, 4)
#define CALL_count_near c->api->count_near(c, pick_float(), pick_float(), pick_float(), pick_count())
#define CALL_find_nearest c->api->find_nearest(c, pick_float(), pick_float(), pick_count() % 4, pick_count(), some)
#define CALL_find_in_box                                                                                               \
  c->api->find_in_box(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_count(), some, 4)
#define CALL_cast_ray                                                                                                  \
  c->api->cast_ray(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_count(), &(shoal_ray_hit){0})
#define CALL_typed c->api->typed(c)
#define CALL_play                                                                                                      \
  c->api->play(                                                                                                        \
      c, &(shoal_sound){.file = pick_text(), .volume = seed ? pick_float() : 1, .pitch = seed ? pick_float() : 1})
#define CALL_stop_sound c->api->stop_sound(c, pick_entity())
#define CALL_set_volume c->api->set_volume(c, pick_entity(), pick_float())
#define CALL_panel_widget                                                                                              \
  c->api->panel_widget(c, &(shoal_widget){.kind = (shoal_widget_kind)pick_count(),                                     \
                                          .label = pick_text(),                                                        \
                                          .component = pick_component(),                                               \
                                          .column = pick_count()})
#define CALL_scope_begin c->api->scope_begin(c, pick_text())
#define CALL_scope_end c->api->scope_end(c)
// Inline functions of the headers that call a function in the list.
#define MORE(X)                                                                                                        \
  X(row)                                                                                                               \
  X(draw_text)                                                                                                         \
  X(random_unit)                                                                                                       \
  X(panel_label)                                                                                                       \
  X(panel_value)                                                                                                       \
  X(panel_plot)                                                                                                        \
  X(panel_slider)                                                                                                      \
  X(panel_button)
#define CALL_draw_text shoal_draw_text(c, pick_text(), pick_float(), pick_float(), pick_float())
#define CALL_row shoal_row(shoal_world_of(c), pick_component(), pick_entity())
#define CALL_random_unit shoal_random_unit(c)
#define CALL_panel_label shoal_panel_label(c, pick_text())
#define CALL_panel_value shoal_panel_value(c, pick_text(), "%s", "much")
#define CALL_panel_plot shoal_panel_plot(c, pick_text(), (double)pick_float())
#define CALL_panel_slider                                                                                              \
  shoal_panel_slider(c, pick_text(), pick_entity(), pick_component(), pick_count(), (double)pick_float(),              \
                     (double)pick_float())
#define CALL_panel_button shoal_panel_button(c, pick_text())

static void forget_file(shoal_context *c, void *file) {
  if (file)
    shoal_resize(c, file, a_size + 1, 0);
}

#define ALL_FUNCTIONS(F) SHOAL_WORLD_FUNCTIONS(F) SHOAL_STATE_FUNCTIONS(F) SHOAL_HOST_FUNCTIONS(F)

typedef void does(shoal_context *c);
#define DOES(name_, ...)                                                                                               \
  static void do_##name_(shoal_context *c) {                                                                           \
    (void)(CALL_##name_);                                                                                              \
  }
ALL_FUNCTIONS(DOES)
MORE(DOES)

#define ENTRY(name_, ...) do_##name_,
static does *const all[] = {ALL_FUNCTIONS(ENTRY) MORE(ENTRY)};
#define COUNT (sizeof all / sizeof *all)

// --- forbidden places

typedef struct far_t {
  does *what;
  shoal_context *c;
} far_t;

static void *call_on_thread(void *data) {
  const far_t *x = data;
  x->what(x->c);
  return NULL;
}
static void call_in_part(void *data, uint32_t part, uint32_t worker) {
  const far_t *x = data;
  (void)part, (void)worker;
  x->what(x->c);
}

static void call_in_place(shoal_context *c, does *what) {
  far_t x = {what, c};
  pthread_t thread;
  size_t number_of = 0;
  while (all[number_of] != what)
    ++number_of;
  if (!place || shoal_tick(c) != 2 + number_of / 8) { // 8 calls per tick, as the number of logged messages is limited
    kept = c;                                         // a recent call's: contexts are reused after many calls
    return;
  }
  if (strcmp(place, "part") == 0)
    shoal_jobs(c, call_in_part, &x, 4);
  if (strcmp(place, "here") == 0)
    what(c);
  x.c = strcmp(place, "thread") == 0 ? c : kept;
  if (strcmp(place, "over") == 0)
    what(kept);
  if ((strcmp(place, "thread") == 0 || strcmp(place, "later") == 0) &&
      pthread_create(&thread, NULL, call_on_thread, &x) == 0)
    pthread_join(thread, NULL);
}

#define RUN(name_, ...)                                                                                                \
  static void run_##name_(shoal_context *c, const shoal_view *v, float dt_s) {                                         \
    (void)v, (void)dt_s;                                                                                               \
    call_in_place(c, do_##name_);                                                                                      \
  }
ALL_FUNCTIONS(RUN)
MORE(RUN)

// --- random calls

static void fuzz(shoal_context *c) {
  uint32_t calls = seed ? next_random() % 12 : 0;
  for (uint32_t i = 0; i < calls; ++i)
    all[next_random() % COUNT](c);
}
static void any_system(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)v, (void)dt_s;
  fuzz(c);
}
static void any_list(shoal_context *c, const shoal_entity *who, uint32_t count, float dt_s) {
  (void)who, (void)count, (void)dt_s;
  fuzz(c);
}
static void any_function(shoal_context *c, const shoal_value *in, shoal_value *out) {
  (void)in, (void)out;
  if (place && strcmp(place, "function") == 0)
    for (size_t i = 0; i < COUNT; ++i)
      all[i](c);
  fuzz(c);
}
static void any_panel(shoal_context *c, shoal_entity picked) {
  (void)picked;
  fuzz(c);
}
static void *load(shoal_context *c, const char *name, const void *bytes, size_t size) {
  (void)name, (void)bytes, (void)size;
  fuzz(c);
  return shoal_resize(c, NULL, 0, 8);
}
static void unload(shoal_context *c, void *data) {
  fuzz(c);
  shoal_resize(c, data, 8, 0);
}
static void run_thread(const shoal_stop *stop, void *state) {
  (void)state;
  for (int i = 0; i < 1000 && !shoal_stops(stop) && seed && kept; ++i)
    all[next_random() % COUNT](kept);
}

static void *open_it(shoal_context *c) {
  const char *fuzzes = getenv("FUZZ");
  kept = c;
  place = getenv("PLACE");
  seed = fuzzes ? (uint32_t)atoi(fuzzes) * 2654435761u | 1u : 0;
  return NULL;
}

#define SYSTEM(name_, ...) {.name = #name_, HOW.run = run_##name_},
#ifndef HOW
#define HOW
#endif

SHOAL_PLUGIN(.name = "stray", .version = 1, .components = SHOAL_COMPONENTS(leaf, bud, tree, wind),
#ifdef FUZZES
             .systems =
                 SHOAL_SYSTEMS({.name = "any", .query = {"leaf"}, .run = any_system},
                               {.name = "part", .query = {"leaf"}, .parallel = true, .run = any_system},
                               {.name = "beside", .query = {"leaf"}, .beside = true, .run = any_system},
                               {.name = "draw", .phase = SHOAL_PHASE_RENDER, .query = {"leaf"}, .run = any_system}),
             .observers = SHOAL_OBSERVERS(
                 {.name = "hear", .query = {"leaf"}, .enter = any_list, .leave = any_list, .changed = any_list}),
             .threads = SHOAL_THREADS({.name = "far", .run = run_thread}),
#else
             .systems = (shoal_system const[]){ALL_FUNCTIONS(SYSTEM) MORE(SYSTEM){0}},
#endif
             .functions =
                 SHOAL_FUNCTIONS({.name = "rustle", .takes = "t:table", .gives = "a:any b:table", .call = any_function},
                                 {.name = "look", .pure = true, .call = any_function}),
             .commands = SHOAL_COMMANDS({.name = "Fall", .run = any_panel}),
             .panels = SHOAL_PANELS({.title = "Tree", .draw = any_panel}),
             .assets = SHOAL_ASSETS({.ending = ".leaf", .load = load, .unload = unload}), .open = open_it)
