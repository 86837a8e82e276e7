// Every function of the plugin headers, called from where it may not be, and with what it should not be given. A list
// has them all (services.sh compares it with the headers). PLACE in the environment says from where each is called, in
// a system of its own; FUZZ is the seed of a system that calls them at random with anything.
#include <shoal/asset.h>
#include <shoal/call.h>
#include <shoal/command.h>
#include <shoal/draw.h>
#include <shoal/input.h>
#include <shoal/job.h>
#include <shoal/observe.h>
#include <shoal/outside.h>
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

static const char *place;                                // of a system; NULL for none
static uint32_t seed;                                    // 0: what is given is plain
static shoal_context *kept;                              // that `open` was given
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // parts of a parallel system draw from one stream

static uint32_t number(void) {
  pthread_mutex_lock(&lock);
  seed ^= seed << 13, seed ^= seed >> 17, seed ^= seed << 5;
  uint32_t out = seed;
  pthread_mutex_unlock(&lock);
  return out;
}
#define ONE_OF(...) (list_[seed ? number() % (sizeof list_ / sizeof *list_) : 0])
#define PICK(type_, ...)                                                                                               \
  type_ list_[] = {__VA_ARGS__};                                                                                       \
  return ONE_OF(list_)

static shoal_entity e(void) {
  PICK(shoal_entity, 1, 0, 2, 3, UINT32_MAX, 1u << 31, number(), number() % 64);
}
static const char *t(void) {
  PICK(const char *, "leaf", "", NULL, "no such thing", "a\nb", "stray.rustle", "\xff\xfe", "hum.ogg", "a.leaf", "left",
       "Otto", "transform", "a/b/c", "jump",
       "a text that is longer than a name may be, in whatever place, so that somebody who counts bytes has something "
       "to do");
}
static uint32_t u(void) {
  PICK(uint32_t, 1, 0, 2, 7, 1000, UINT32_MAX, 1u << 31, number());
}
static uint32_t few(void) {
  PICK(uint32_t, 1, 0, 2, 4);
}
static float f(void) {
  PICK(float, 1, 0, -1, 1e30f, -1e30f, 1e30f * 1e30f, -(1e30f * 1e30f) + 1e30f * 1e30f, 0.5f, 1e-40f);
}
static const shoal_component *k(void) {
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
static shoal_value values[8], given[8]; // memory of its own: a result is refused that was not given
static shoal_view a_view;
static shoal_vertex corner[6];

static size_t read_it(void *data, void *bytes, size_t room) {
  (void)data, (void)bytes;
  return seed ? number() % 3 * room : 0;
}
static size_t work_it(const void *input, size_t size, void *output, size_t room, const shoal_stop *stop) {
  (void)input, (void)size, (void)output, (void)stop;
  return seed ? number() % 3 * room : room;
}
static void nothing(void *data, uint32_t part, uint32_t worker) {
  (void)data, (void)part, (void)worker;
}
static shoal_job a_job(void) {
  return (shoal_job){.name = t(),
                     .work = seed && number() % 8 == 0 ? NULL : work_it,
                     .input = pixels,
                     .size = few(),
                     .room = few(),
                     .due = u()};
}
static shoal_wanted a_wish(void) {
  return (shoal_wanted){.with = {t(), seed && number() % 2 ? t() : NULL}, .without = {seed ? t() : NULL}};
}
static shoal_setting a_value(void) {
  return (shoal_setting){.component = t(),
                         .field = seed ? t() : "x",
                         .number = (double)f(),
                         .text = seed ? t() : NULL,
                         .child = seed && number() % 3 == 0 ? t() : NULL,
                         .instance = seed && number() % 3 == 0 ? t() : NULL};
}
static shoal_look a_look(void) {
  return (shoal_look){
      .image = few(), .other = seed ? few() : 0, .asset = seed ? t() : NULL, .shader = seed ? few() : 0};
}

// Of <shoal/plugin.h>; then those of services as their headers have them.
#define CALLS(X)                                                                                                       \
  X(shoal_find, shoal_find(c, t()))                                                                                    \
  X(shoal_rows_of, shoal_rows_of(c, k()))                                                                              \
  X(shoal_rows, shoal_rows(c, k(), some, few(), some_rows))                                                            \
  X(shoal_row, shoal_row(c, k(), e()))                                                                                 \
  X(shoal_tick, shoal_tick(c))                                                                                         \
  X(shoal_tick_rate, shoal_tick_rate(c))                                                                               \
  X(shoal_random, shoal_random(c))                                                                                     \
  X(shoal_random_unit, shoal_random_unit(c))                                                                           \
  X(shoal_state, shoal_state(c))                                                                                       \
  X(shoal_self, shoal_self(c, k()))                                                                                    \
  X(shoal_log, shoal_log(c, SHOAL_LOG_DEBUG, "%s", "said"))                                                            \
  X(shoal_fail, shoal_fail(c, "%s", "failed on purpose"))                                                              \
  X(shoal_resize, shoal_resize(c, shoal_resize(c, NULL, 0, 16), 16, 0))                                                \
  X(shoal_external, shoal_external(c, t(), read_it, NULL, u(), &a_size))                                               \
  X(shoal_alive, shoal_alive(c, e()))                                                                                  \
  X(shoal_spawn, shoal_spawn(c, seed ? t() : "", few(), some))                                                         \
  X(shoal_destroy, shoal_destroy(c, some, few()))                                                                      \
  X(shoal_add, shoal_add(c, e(), k(), seed ? t() : NULL))                                                              \
  X(shoal_remove, shoal_remove(c, e(), k(), seed ? t() : NULL))                                                        \
  X(shoal_set, shoal_set(c, e(), k(), few(), (double)f()))                                                             \
  X(shoal_set_named, shoal_set_named(c, e(), k(), t(), few(), (double)f()))                                            \
  X(shoal_emit_begin, shoal_emit_begin(c, seed ? k() : &wind_component, u()))                                          \
  X(shoal_emit_end, shoal_emit_end(c, seed ? k() : &wind_component))                                                   \
  X(shoal_read, shoal_read(c, seed ? k() : &wind_component))                                                           \
  X(shoal_text, shoal_text(c, u()))                                                                                    \
  X(shoal_text_id, shoal_text_id(c, t()))                                                                              \
  X(shoal_workers, shoal_workers(c))                                                                                   \
  X(shoal_jobs, shoal_jobs(c, nothing, NULL, few()))                                                                   \
  X(shoal_give_numbers, shoal_give_numbers(c, &given[0], few()))                                                       \
  X(shoal_give_entities, shoal_give_entities(c, &given[0], few()))                                                     \
  X(shoal_give_text, shoal_give_text(c, &given[0], t()))                                                               \
  X(shoal_asset, forget(c, shoal_asset(c, t(), &a_size)))                                                              \
  X(shoal_screen, shoal_screen(c, a_float, a_float + 1))                                                               \
  X(shoal_draw_space, shoal_draw_space(c, true))                                                                       \
  X(shoal_draw_layer, shoal_draw_layer(c, (int32_t)u()))                                                               \
  X(shoal_draw_colour, shoal_draw_colour(c, f(), f(), f(), f()))                                                       \
  X(shoal_draw_line, shoal_draw_line(c, f(), f(), f(), f(), f()))                                                      \
  X(shoal_draw_polygon, shoal_draw_polygon(c, corners, few(), true, f()))                                              \
  X(shoal_draw_view, shoal_draw_view(c, e()))                                                                          \
  X(shoal_draw_solids, shoal_draw_solids(c, corners, few() / 2))                                                       \
  X(shoal_draw_text, shoal_draw_text(c, t(), f(), f(), f()))                                                           \
  X(shoal_panel_label, shoal_panel_label(c, t()))                                                                      \
  X(shoal_panel_value, shoal_panel_value(c, t(), "%s", "much"))                                                        \
  X(shoal_panel_plot, shoal_panel_plot(c, t(), (double)f()))                                                           \
  X(shoal_panel_slider, shoal_panel_slider(c, t(), e(), k(), few(), (double)f(), (double)f()))                         \
  X(shoal_panel_button, shoal_panel_button(c, t()))                                                                    \
  X(shoal_service, shoal_service(c, t(), few()))

// Their tables were fetched in `open`; the service's name, and the member's.
#define SERVICES(X)                                                                                                    \
  X(asset, data, (c, t(), some_rows))                                                                                  \
  X(asset, wrong, (c, u(), "wrong"))                                                                                   \
  X(call, find, (c, t(), few(), t(), t(), &a_text))                                                                    \
  X(call, call, (c, u(), values, given, &a_text))                                                                      \
  X(draw, texture, (c, &(shoal_texture_desc){.name = t(), .width = few(), .height = few(), .rgba = pixels}))           \
  X(draw, texture_put, (c, few(), few(), few(), few(), few(), pixels))                                                 \
  X(draw, texture_free, (c, few()))                                                                                    \
  X(draw, shader,                                                                                                      \
    (c, &(shoal_shader_desc){.name = t(), .fragment = seed ? t() : "void main() { result = v_colour; }"}))             \
  X(draw, shader_free, (c, few()))                                                                                     \
  X(draw, uniform, (c, few(), t(), corners, few()))                                                                    \
  X(draw, triangles, (c, &(shoal_look[1]){a_look()}[0], corner, few()))                                                \
  X(draw, pass, (c, &(shoal_look[1]){a_look()}[0]))                                                                    \
  X(draw, sprite, (c, &(shoal_sprite_desc){.image = t(), .x = f(), .frame = (int32_t)u()}))                            \
  X(draw, circle, (c, f(), f(), f(), f()))                                                                             \
  X(draw, rect, (c, f(), f(), f(), f(), f(), f()))                                                                     \
  X(draw, words, (c, &(shoal_words){.text = t(), .font = seed ? t() : NULL, .size = f(), .wrap = f()}))                \
  X(draw, depth, (c, true, f()))                                                                                       \
  X(draw, blend, (c, true))                                                                                            \
  X(input, action, (c, t(), (int32_t)few(), a_float, a_float + 1))                                                     \
  X(input, mouse, (c, &(shoal_mouse){0}))                                                                              \
  X(input, text, (c))                                                                                                  \
  X(job, result, (c, &(shoal_job[1]){a_job()}[0], &a_size))                                                            \
  X(observe, changes, (c, k()))                                                                                        \
  X(observe, changed, (c, k()))                                                                                        \
  X(outside, hold, (c, t(), -1))                                                                                       \
  X(outside, held, (c, t()))                                                                                           \
  X(outside, drop, (c, t()))                                                                                           \
  X(profile, begin, (c, t()))                                                                                          \
  X(profile, end, (c))                                                                                                 \
  X(sound, play, (c, &(shoal_sound){.file = t(), .volume = seed ? f() : 1, .pitch = seed ? f() : 1}))                  \
  X(sound, stop, (c, e()))                                                                                             \
  X(sound, volume, (c, e(), f()))                                                                                      \
  X(table, begin, (c, &given[few() % 4], seed ? t() : NULL))                                                           \
  X(table, put,                                                                                                        \
    (c, &given[few() % 4], t(), &(shoal_value){.any = (shoal_any)few(), .number = (double)f(), .text = t()}))          \
  X(table, end, (c, &given[few() % 4]))                                                                                \
  X(table, bytes, (c, &given[0], pixels, few()))                                                                       \
  X(world, spawn, (c, seed ? t() : "", &(shoal_setting[1]){a_value()}[0], 1, some, few()))                             \
  X(world, enter, (c, e(), t()))                                                                                       \
  X(world, state, (c, e()))                                                                                            \
  X(world, children, (c, e(), some, few()))                                                                            \
  X(world, named, (c, t()))                                                                                            \
  X(world, query, (c, &(shoal_wanted[1]){a_wish()}[0], &a_view))                                                       \
  X(world, query_end, (c, &a_view))                                                                                    \
  X(world, instance, (c, &a_view, k(), u()))                                                                           \
  X(world, row_named, (c, k(), e(), t()))

static void forget(shoal_context *c, void *file) {
  if (file)
    shoal_resize(c, file, a_size + 1, 0);
}

#define NAMES(X) X(asset) X(call) X(draw) X(input) X(job) X(observe) X(outside) X(profile) X(sound) X(table) X(world)
#define POINTER(name_) static const shoal_##name_##_1 *name_##_s;
NAMES(POINTER)
static void fetch(shoal_context *c) {
#define FETCH(name_) name_##_s = (const shoal_##name_##_1 *)shoal_service(c, #name_, 1);
  NAMES(FETCH)
}

typedef void does(shoal_context *c);
#define DOES(name_, call_)                                                                                             \
  static void do_##name_(shoal_context *c) {                                                                           \
    (void)call_;                                                                                                       \
  }
#define DOES_SERVICE(service_, member_, arguments_)                                                                    \
  static void do_##service_##_##member_(shoal_context *c) {                                                            \
    (void)service_##_s->member_ arguments_;                                                                            \
  }
CALLS(DOES)
SERVICES(DOES_SERVICE)

#define ENTRY(name_, call_) do_##name_,
#define ENTRY_SERVICE(service_, member_, arguments_) do_##service_##_##member_,
static does *const all[] = {CALLS(ENTRY) SERVICES(ENTRY_SERVICE)};
#define COUNT (sizeof all / sizeof *all)

// ------------------------------------------------------------------------------------------------ where it may not

typedef struct far_t {
  does *what;
  shoal_context *c;
} far_t;

static void *on_thread(void *data) {
  const far_t *x = data;
  x->what(x->c);
  return NULL;
}
static void in_part(void *data, uint32_t part, uint32_t worker) {
  const far_t *x = data;
  (void)part, (void)worker;
  x->what(x->c);
}

static void in_place(shoal_context *c, does *what) {
  far_t x = {what, c};
  pthread_t thread;
  size_t number_of = 0;
  while (all[number_of] != what)
    ++number_of;
  if (!place || shoal_tick(c) != 2 + number_of / 8) // a tick has room for so many sentences
    return;
  if (strcmp(place, "part") == 0)
    shoal_jobs(c, in_part, &x, 4);
  if (strcmp(place, "here") == 0)
    what(c);
  x.c = strcmp(place, "thread") == 0 ? c : kept;
  if (strcmp(place, "over") == 0)
    what(kept);
  if ((strcmp(place, "thread") == 0 || strcmp(place, "later") == 0) &&
      pthread_create(&thread, NULL, on_thread, &x) == 0)
    pthread_join(thread, NULL);
}

#define RUN(name_, call_)                                                                                              \
  static void run_##name_(shoal_context *c, const shoal_view *v, float dt_s) {                                         \
    (void)v, (void)dt_s;                                                                                               \
    in_place(c, do_##name_);                                                                                           \
  }
#define RUN_SERVICE(service_, member_, arguments_) RUN(service_##_##member_, )
CALLS(RUN)
SERVICES(RUN_SERVICE)

// ------------------------------------------------------------------------------------------------------- at random

static void fuzz(shoal_context *c) {
  uint32_t calls = seed ? number() % 12 : 0;
  for (uint32_t i = 0; i < calls; ++i)
    all[number() % COUNT](c);
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
    all[number() % COUNT](kept);
}

static void *open_it(shoal_context *c) {
  const char *fuzzes = getenv("FUZZ");
  fetch(c);
  kept = c;
  place = getenv("PLACE");
  seed = fuzzes ? (uint32_t)atoi(fuzzes) * 2654435761u | 1u : 0;
  return NULL;
}

#define SYSTEM(name_, call_) {.name = #name_, HOW.run = run_##name_},
#define SYSTEM_SERVICE(service_, member_, arguments_)                                                                  \
  {.name = #service_ "_" #member_, HOW.run = run_##service_##_##member_},
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
                 {.name = "hear", .query = {"leaf"}, .removed = any_list, .added = any_list, .set = any_list}),
             .threads = SHOAL_THREADS({.name = "far", .run = run_thread}),
#else
             .systems = (shoal_system const[]){CALLS(SYSTEM) SERVICES(SYSTEM_SERVICE){0}},
#endif
             .functions =
                 SHOAL_FUNCTIONS({.name = "rustle", .takes = "t:table", .gives = "a:any b:table", .call = any_function},
                                 {.name = "look", .pure = true, .call = any_function}),
             .commands = SHOAL_COMMANDS({.name = "Fall", .run = any_panel}),
             .panels = SHOAL_PANELS({.title = "Tree", .draw = any_panel}),
             .assets = SHOAL_ASSETS({.ending = ".leaf", .load = load, .unload = unload}), .open = open_it)
