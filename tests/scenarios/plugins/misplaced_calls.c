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
#include <shoal/relation.h>
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
static size_t run_job(const void *input, size_t size, void *output, size_t room, const shoal_stop_token *stop) {
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
                     .input_size = pick_count(),
                     .output_capacity = pick_count(),
                     .due_tick = pick_id()};
}
static shoal_query_desc pick_query(void) {
  return (shoal_query_desc){.with = {pick_text(), seed && next_random() % 2 ? pick_text() : NULL},
                            .without = {seed ? pick_text() : NULL}};
}
static shoal_field_value pick_setting(void) {
  return (shoal_field_value){.component = pick_text(),
                             .field = seed ? pick_text() : "x",
                             .number = (double)pick_float(),
                             .string = seed ? pick_text() : NULL,
                             .child = seed && next_random() % 3 == 0 ? pick_text() : NULL,
                             .instance = seed && next_random() % 3 == 0 ? pick_text() : NULL};
}
static shoal_draw_state pick_look(void) {
  return (shoal_draw_state){.texture = pick_count(),
                            .texture2 = seed ? pick_count() : 0,
                            .asset = seed ? pick_text() : NULL,
                            .shader = seed ? pick_count() : 0};
}

// One call per function in the list (shoal/functions.h). This file does not compile if a call is missing.
#define CALL_tick shoal_tick(c)
#define CALL_tick_rate shoal_tick_rate(c)
#define CALL_random_u32 shoal_random_u32(c)
#define CALL_log shoal_log(c, SHOAL_LOG_DEBUG, "%s", "said")
#define CALL_fail shoal_fail(c, "%s", "failed on purpose")
#define CALL_realloc shoal_realloc(c, shoal_realloc(c, NULL, 0, 16), 16, 0)
#define CALL_plugin_state shoal_plugin_state(c)
#define CALL_manager_data shoal_manager_data(c, pick_component())
#define CALL_string shoal_string(shoal_get_world(c), pick_id())
#define CALL_intern shoal_intern(shoal_get_world(c), pick_text())
#define CALL_read_external shoal_read_external(c, pick_text(), read_bytes, NULL, pick_id(), &a_size)
#define CALL_find_component shoal_find_component(shoal_get_world(c), pick_text())
#define CALL_get_rows shoal_get_rows(shoal_get_world(c), pick_component())
#define CALL_find_rows shoal_find_rows(shoal_get_world(c), pick_component(), some, pick_count(), some_rows)
#define CALL_find_instance_row                                                                                         \
  shoal_get_world(c)->api->find_instance_row(shoal_get_world(c), pick_component(), pick_entity(), pick_text())
#define CALL_is_alive shoal_is_alive(shoal_get_world(c), pick_entity())
#define CALL_spawn_many shoal_spawn_many(shoal_get_world(c), seed ? pick_text() : "", pick_count(), some)
#define CALL_spawn_with                                                                                                \
  shoal_spawn_tree(shoal_get_world(c), seed ? pick_text() : "", &(shoal_field_value[1]){pick_setting()}[0], 1, some,   \
                   pick_count())
#define CALL_destroy_many shoal_destroy_many(shoal_get_world(c), some, pick_count())
#define CALL_add_instance                                                                                              \
  shoal_add_instance(shoal_get_world(c), pick_entity(), pick_component(), seed ? pick_text() : NULL)
#define CALL_remove_instance                                                                                           \
  shoal_remove_instance(shoal_get_world(c), pick_entity(), pick_component(), seed ? pick_text() : NULL)
#define CALL_set_instance                                                                                              \
  shoal_set_instance(shoal_get_world(c), pick_entity(), pick_component(), pick_text(), pick_count(),                   \
                     (double)pick_float())
#define CALL_get_instance                                                                                              \
  shoal_get_instance(shoal_get_world(c), pick_entity(), pick_component(), pick_text(), pick_count(), &a_double)
#define CALL_set_struct                                                                                                \
  shoal_set_struct(shoal_get_world(c), pick_entity(), pick_component(), seed ? values : NULL,                          \
                   seed ? pick_id() % sizeof values : 0)
#define CALL_get_struct                                                                                                \
  shoal_get_struct(shoal_get_world(c), pick_entity(), pick_component(), seed ? given : NULL,                           \
                   seed ? pick_id() % sizeof given : 0)
#define CALL_set_string_instance                                                                                       \
  shoal_set_string_instance(shoal_get_world(c), pick_entity(), pick_component(), seed ? pick_text() : NULL,            \
                            pick_count(), pick_text())
#define CALL_get_column_string shoal_get_column_string(shoal_get_world(c), pick_component(), pick_count(), pick_count())
#define CALL_add_with shoal_add_with(shoal_get_world(c), pick_entity(), &(shoal_field_value[1]){pick_setting()}[0], 1)
#define CALL_observe_changes                                                                                           \
  shoal_get_world(c)->api->observe_changes(shoal_get_world(c), pick_text(), &(shoal_query_desc[1]){pick_query()}[0],   \
                                           true, &(shoal_observed){0})
#define CALL_has shoal_has(shoal_get_world(c), pick_entity(), pick_component())
#define CALL_last_error shoal_last_error(shoal_get_world(c))
#define CALL_declare shoal_declare(shoal_get_world(c), pick_component())
#define CALL_hash shoal_hash(shoal_get_world(c))
#define CALL_snapshot shoal_snapshot(shoal_get_world(c), given, seed ? pick_id() % sizeof given : 0)
#define CALL_restore shoal_restore(shoal_get_world(c), values, seed ? pick_count() : 0)
#define CALL_save shoal_save(shoal_get_world(c), "stray.save")
#define CALL_load shoal_load(shoal_get_world(c), "stray.save")
#define CALL_enter_state shoal_get_world(c)->api->enter_state(shoal_get_world(c), pick_entity(), pick_text())
#define CALL_entity_state shoal_get_world(c)->api->entity_state(shoal_get_world(c), pick_entity())
#define CALL_entity_name shoal_entity_name(shoal_get_world(c), pick_entity())
#define CALL_entity_assemblage shoal_entity_assemblage(shoal_get_world(c), pick_entity())
#define CALL_get_children shoal_get_world(c)->api->get_children(shoal_get_world(c), pick_entity(), some, pick_count())
#define CALL_find_entity shoal_get_world(c)->api->find_entity(shoal_get_world(c), pick_text())
#define CALL_query_begin                                                                                               \
  shoal_get_world(c)->api->query_begin(shoal_get_world(c), &(shoal_query_desc[1]){pick_query()}[0], &a_view)
#define CALL_query_end shoal_get_world(c)->api->query_end(shoal_get_world(c), &a_view)
#define CALL_row_instance                                                                                              \
  shoal_get_world(c)->api->row_instance(shoal_get_world(c), &a_view, pick_component(), pick_id())
#define CALL_emit_begin shoal_emit_begin(shoal_get_world(c), seed ? pick_component() : &wind_component, pick_id())
#define CALL_emit_end shoal_emit_end(shoal_get_world(c), seed ? pick_component() : &wind_component)
#define CALL_event_get_instance                                                                                        \
  shoal_event_get_instance(shoal_get_world(c), seed ? pick_component() : &wind_component, pick_entity(),               \
                           pick_component(), pick_text(), pick_count(), &a_double)
#define CALL_event_entity_state                                                                                        \
  shoal_event_entity_state(shoal_get_world(c), seed ? pick_component() : &wind_component, pick_entity())
#define CALL_read_events shoal_read_events(shoal_get_world(c), seed ? pick_component() : &wind_component)
#define CALL_change_count c->api->change_count(c, pick_component())
#define CALL_worker_count shoal_worker_count(c)
#define CALL_parallel_for shoal_parallel_for(c, ignore_part, NULL, pick_count())
#define CALL_poll_job c->api->poll_job(c, &(shoal_job[1]){pick_job()}[0], &a_size)
#define CALL_return_numbers shoal_return_numbers(c, &given[0], pick_count())
#define CALL_return_entities shoal_return_entities(c, &given[0], pick_count())
#define CALL_return_string shoal_return_string(c, &given[0], pick_text())
#define CALL_return_bytes c->api->return_bytes(c, &given[0], pixels, pick_count())
#define CALL_table_begin c->api->table_begin(c, &given[pick_count() % 4], seed ? pick_text() : NULL)
#define CALL_table_put                                                                                                 \
  c->api->table_put(                                                                                                   \
      c, &given[pick_count() % 4], pick_text(),                                                                        \
      &(shoal_value){.type = (shoal_value_type)pick_count(), .number = (double)pick_float(), .string = pick_text()})
#define CALL_table_end c->api->table_end(c, &given[pick_count() % 4])
#define CALL_find_function c->api->find_function(c, pick_text(), pick_count(), pick_text(), pick_text(), &a_text)
#define CALL_call c->api->call(c, pick_id(), values, given, &a_text)
#define CALL_read_asset forget_file(c, shoal_read_asset(c, pick_text(), &a_size))
#define CALL_get_asset c->api->get_asset(c, pick_text(), some_rows)
#define CALL_report_asset_error c->api->report_asset_error(c, pick_id(), "wrong")
#define CALL_store_fd c->api->store_fd(c, pick_text(), -1)
#define CALL_get_fd c->api->get_fd(c, pick_text())
#define CALL_close_fd c->api->close_fd(c, pick_text())
#define CALL_get_screen_size shoal_get_screen_size(c, a_float, a_float + 1)
#define CALL_set_draw_space shoal_set_draw_space(c, true)
#define CALL_set_draw_layer shoal_set_draw_layer(c, (int32_t)pick_id())
#define CALL_set_draw_color shoal_set_draw_color(c, pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_set_draw_camera shoal_set_draw_camera(c, pick_entity())
#define CALL_draw_line shoal_draw_line(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_polygon shoal_draw_polygon(c, corners, pick_count(), true, pick_float())
#define CALL_draw_depth_triangles shoal_draw_depth_triangles(c, corners, pick_count() / 2)
#define CALL_draw_triangles c->api->draw_triangles(c, &(shoal_draw_state[1]){pick_look()}[0], corner, pick_count())
#define CALL_draw_fullscreen c->api->draw_fullscreen(c, &(shoal_draw_state[1]){pick_look()}[0])
#define CALL_draw_sprite                                                                                               \
  c->api->draw_sprite(c, &(shoal_sprite_desc){.image = pick_text(), .x = pick_float(), .frame = (int32_t)pick_id()})
#define CALL_draw_circle c->api->draw_circle(c, pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_rect                                                                                                 \
  c->api->draw_rect(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_float(), pick_float())
#define CALL_draw_text_desc                                                                                            \
  c->api->draw_text_desc(                                                                                              \
      c, &(shoal_text_desc){                                                                                           \
             .string = pick_text(), .font = seed ? pick_text() : NULL, .size = pick_float(), .wrap = pick_float()})
#define CALL_set_draw_depth c->api->set_draw_depth(c, pick_float())
#define CALL_set_draw_additive c->api->set_draw_additive(c, true)
#define CALL_set_uniform c->api->set_uniform(c, pick_count(), pick_text(), corners, pick_count())
#define CALL_texture_create                                                                                            \
  c->api->texture_create(                                                                                              \
      c, &(shoal_texture_desc){.name = pick_text(), .width = pick_count(), .height = pick_count(), .rgba = pixels})
#define CALL_texture_update                                                                                            \
  c->api->texture_update(c, pick_count(), pick_count(), pick_count(), pick_count(), pick_count(), pixels)
#define CALL_texture_destroy c->api->texture_destroy(c, pick_count())
#define CALL_shader_create                                                                                             \
  c->api->shader_create(c,                                                                                             \
                        &(shoal_shader_desc){.name = pick_text(),                                                      \
                                             .fragment = seed ? pick_text() : "void main() { result = v_colour; }"})
#define CALL_shader_destroy c->api->shader_destroy(c, pick_count())
#define CALL_action_value c->api->action_value(c, pick_text(), (int32_t)pick_count(), a_float, a_float + 1)
#define CALL_get_mouse_motion c->api->get_mouse_motion(c, a_float, a_float + 1)
#define CALL_get_mouse c->api->get_mouse(c, &(shoal_mouse_state){0})
#define CALL_add_pair shoal_add_pair(shoal_get_world(c), pick_entity(), pick_component(), pick_entity())
#define CALL_remove_pair shoal_remove_pair(shoal_get_world(c), pick_entity(), pick_component(), pick_entity())
#define CALL_has_pair shoal_has_pair(shoal_get_world(c), pick_entity(), pick_component(), pick_entity())
#define CALL_pair_instance shoal_pair_instance(shoal_get_world(c), pick_entity(), pick_component(), pick_entity())
#define CALL_find_pair_row shoal_find_pair_row(shoal_get_world(c), pick_component(), pick_entity(), pick_entity())
#define CALL_set_pair                                                                                                  \
  shoal_set_pair(shoal_get_world(c), pick_entity(), pick_component(), pick_entity(), pick_count(), (double)pick_float())
#define CALL_get_pair                                                                                                  \
  shoal_get_pair(shoal_get_world(c), pick_entity(), pick_component(), pick_entity(), pick_count(), &a_double)
#define CALL_set_pair_struct                                                                                           \
  shoal_set_pair_struct(shoal_get_world(c), pick_entity(), pick_component(), pick_entity(), seed ? values : NULL,      \
                        seed ? pick_id() % sizeof values : 0)
#define CALL_get_pair_struct                                                                                           \
  shoal_get_pair_struct(shoal_get_world(c), pick_entity(), pick_component(), pick_entity(), values,                    \
                        seed ? pick_id() % sizeof values : 0)
#define CALL_get_targets shoal_get_targets(shoal_get_world(c), pick_entity(), pick_component(), some, pick_count())
#define CALL_get_referrers                                                                                             \
  shoal_get_field_referrers(shoal_get_world(c), pick_entity(), pick_component(), pick_id(), some, pick_count())
#define PAIR                                                                                                           \
  { pick_component(), pick_entity() }
#define CALL_query_pairs_begin                                                                                         \
  shoal_query_pairs_begin(shoal_get_world(c), &(shoal_query_desc[1]){pick_query()}[0],                                 \
                          (shoal_pair[]){PAIR, PAIR, PAIR, PAIR}, pick_count(), &a_view)
#define CALL_find_interned shoal_find_interned(shoal_get_world(c), pick_text())
#define CALL_find_near c->api->find_near(c, pick_float(), pick_float(), pick_float(), pick_count(), some, 4)
#define CALL_count_near c->api->count_near(c, pick_float(), pick_float(), pick_float(), pick_count())
#define CALL_find_nearest c->api->find_nearest(c, pick_float(), pick_float(), pick_count() % 4, pick_count(), some)
#define CALL_find_in_box                                                                                               \
  c->api->find_in_box(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_count(), some, 4)
#define CALL_cast_ray                                                                                                  \
  c->api->cast_ray(c, pick_float(), pick_float(), pick_float(), pick_float(), pick_count(), &(shoal_ray_hit){0})
#define CALL_text_input c->api->text_input(c)
#define CALL_play_sound                                                                                                \
  c->api->play_sound(c, &(shoal_sound_desc){                                                                           \
                            .file = pick_text(), .volume = seed ? pick_float() : 1, .pitch = seed ? pick_float() : 1})
#define CALL_stop_sound c->api->stop_sound(c, pick_entity())
#define CALL_set_sound_volume c->api->set_sound_volume(c, pick_entity(), pick_float())
#define CALL_panel_add_widget                                                                                          \
  c->api->panel_add_widget(c, &(shoal_widget_desc){.kind = (shoal_widget_kind)pick_count(),                            \
                                                   .label = pick_text(),                                               \
                                                   .component = pick_component(),                                      \
                                                   .column = pick_count()})
#define CALL_profile_begin c->api->profile_begin(c, pick_text())
#define CALL_profile_end c->api->profile_end(c)
// Inline functions of the headers that call a function in the list.
#define MORE(X)                                                                                                        \
  X(find_row)                                                                                                          \
  X(draw_text)                                                                                                         \
  X(random_f32)                                                                                                        \
  X(panel_label)                                                                                                       \
  X(panel_value)                                                                                                       \
  X(panel_plot)                                                                                                        \
  X(panel_slider)                                                                                                      \
  X(panel_button)
#define CALL_draw_text shoal_draw_text(c, pick_text(), pick_float(), pick_float(), pick_float())
#define CALL_find_row shoal_find_row(shoal_get_world(c), pick_component(), pick_entity())
#define CALL_random_f32 shoal_random_f32(c)
#define CALL_panel_label shoal_panel_label(c, pick_text())
#define CALL_panel_value shoal_panel_value(c, pick_text(), "%s", "much")
#define CALL_panel_plot shoal_panel_plot(c, pick_text(), (double)pick_float())
#define CALL_panel_slider                                                                                              \
  shoal_panel_slider(c, pick_text(), pick_entity(), pick_component(), pick_count(), (double)pick_float(),              \
                     (double)pick_float())
#define CALL_panel_button shoal_panel_button(c, pick_text())

static void forget_file(shoal_context *c, void *file) {
  if (file)
    shoal_realloc(c, file, a_size + 1, 0);
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
    kept = c;                                         // context of a recent call: contexts are reused after many calls
    return;
  }
  if (strcmp(place, "part") == 0)
    shoal_parallel_for(c, call_in_part, &x, 4);
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
  return shoal_realloc(c, NULL, 0, 8);
}
static void unload(shoal_context *c, void *data) {
  fuzz(c);
  shoal_realloc(c, data, 8, 0);
}
static void run_thread(const shoal_stop_token *stop, void *state) {
  (void)state;
  for (int i = 0; i < 1000 && !shoal_stop_requested(stop) && seed && kept; ++i)
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
                               {.name = "beside", .query = {"leaf"}, .concurrent = true, .run = any_system},
                               {.name = "draw", .phase = SHOAL_PHASE_RENDER, .query = {"leaf"}, .run = any_system}),
             .observers = SHOAL_OBSERVERS(
                 {.name = "hear", .query = {"leaf"}, .enter = any_list, .leave = any_list, .changed = any_list}),
             .threads = SHOAL_THREADS({.name = "far", .run = run_thread}),
#else
             .systems = (shoal_system const[]){ALL_FUNCTIONS(SYSTEM) MORE(SYSTEM){0}},
#endif
             .functions = SHOAL_FUNCTIONS(
                 {.name = "rustle", .parameters = "t:table", .results = "a:any b:table", .call = any_function},
                 {.name = "look", .pure = true, .call = any_function}),
             .commands = SHOAL_COMMANDS({.name = "Fall", .run = any_panel}),
             .panels = SHOAL_PANELS({.title = "Tree", .draw = any_panel}),
             .assets = SHOAL_ASSETS({.extension = ".leaf", .load = load, .unload = unload}), .open = open_it)
