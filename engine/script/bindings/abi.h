// Functions that the engine's own Lua calls through the FFI. C and Lua use the same text: C checks every prototype
// against the modules' headers, and Lua passes it to ffi.cdef. None of these functions calls back into Lua, so compiled
// code may call all of them.
//
// ABI_STRUCTS lists the members of the structs that Lua accesses directly. The list generates Lua's declarations, and
// the checks that the members are the same as in the modules' headers (abi.c). The column view is the only struct to
// which game scripts have access. Its members therefore get unguessable names (scripts/shoal/schema/column.lua).
#ifndef SHOAL_BINDINGS_ABI_H
#define SHOAL_BINDINGS_ABI_H

#include "base/error.h"
#include "base/matrix.h"
#include "collision/body_grid.h"
#include "collision/near_queries.h"
#include "ecs/event_deaths.h"
#include "ecs/ranges.h"
#include "tilemap/tile_ray.h"
#include "tilemap/tilemap.h"
#include "camera/viewport.h"
#include "schedule/schedule.h"
#include "ecs/world.h"
#include "platform/assets.h"
#include "platform/audio.h"
#include "platform/input.h"
#include "ecs/changes.h"
#include "ecs/queued_entities.h"
#include "ecs/relation.h"
#include "render/draw.h"
#include "render/render.h"
#include "native/loop.h"
#include "native/interpreter.h"
#include "script/lua_system.h"
#include "script/garbage.h"
#include "script/guarded_call.h"
#include "script/vm_objects.h"
#include "script/migrate.h"
#include "script/native_system.h"
#include "script/system_faults.h"
#include "script/vm.h"
#include "snapshot/compare.h"
#include "content/definitions.h"
#include "content/retained_values.h"
#include "migrate/schema_migrate.h"
#include "snapshot/snapshot.h"
#include "content/state_definitions.h"
#include "content/parked_pieces.h"
#include "ecs/system_rows.h"
#include "ui/ui.h"
#include "ecs/world_hash.h"

// Rows of one component in a loop over a query, for the accessors of entities (scripts/shoal/schema/component.lua).
typedef struct row_map_t {
  const uint32_t *rows; // row of the component for each row of the query; NULL outside loops, and if `aligned`
  int32_t aligned;      // 1: the rows have the order of the query's rows
} row_map_t;

// The row map of a component, and the view from which a loop over a query copies it.
typedef struct view_map_t {
  row_map_t *map;
  const column_view_t *view; // view with the row map; NULL: the rows are aligned
} view_map_t;

// S(struct), then F(type, member) or A(type, member, size of the array), then E(struct), or P(struct) if Lua needs only
// the first members of the struct.
// clang-format off
#define ABI_STRUCTS(S, F, A, E, P)                                                                                     \
  S(error_info_t) A(char, text, [1024]) A(char, file, [128]) F(uint32_t, line) F(uint32_t, message_at)                 \
    A(char, piece, [96]) F(bool, may_be_unfinished) E(error_info_t)                                                    \
  S(field_t) A(char, name, [48]) F(const char *, renamed_from) F(uint32_t, type) F(uint32_t, flags)                    \
    F(double, initial) F(double, min) F(double, max) F(double, low) F(double, high) F(char *, initial_text)            \
    F(char *, choices) F(uint32_t, choice_count) F(char *, unit) F(char *, doc) E(field_t)                             \
  S(schema_t) A(char, name, [64]) F(uint32_t, kind) F(uint32_t, field_count) F(field_t *, fields)                      \
    F(uint32_t, field_capacity) F(bool, owns_fields) A(char, origin, [128]) F(uint32_t, line) F(bool, migrates)        \
    F(uint32_t, derived_count) F(char *, doc) F(char *, required) F(uint32_t, required_count) E(schema_t)              \
  S(shoal_field) F(const char *, name) F(uint32_t, type) F(double, default_number) A(float, default_vector, [4])       \
    F(const char *, default_string) F(uint32_t, flags) F(const char *, renamed_from) F(const char *, unit)             \
    F(const char *, doc) E(shoal_field)                                                                                \
  S(shoal_component) F(const char *, name) F(uint32_t, kind) F(const shoal_field *, fields) F(uint32_t, field_count)   \
    F(uint32_t, column_count) F(const void *, manager) A(const char *, required, [8]) E(shoal_component)               \
  S(field_range_t) F(bool, has_min) F(bool, has_max) F(bool, allows_nan) F(double, min) F(double, max)                 \
    E(field_range_t)                                                                                                   \
  S(schema_desc_t) F(const shoal_component *, component) F(const field_range_t *, ranges) F(const char *, origin)      \
    F(uint32_t, line) F(char, choice_separator) F(bool, any_name) F(bool, migrates) F(bool, has_paths)                 \
    F(const char *, doc) F(bool, rejects_nan) F(uint32_t, derived_count) F(const char *const *, required)              \
    E(schema_desc_t)                                                                                                   \
  S(draw_text_style_t) A(float, outline, [4]) F(float, outline_width) A(float, shadow, [4]) F(float, shadow_x)         \
    F(float, shadow_y) F(float, line_spacing) F(int32_t, hidden) F(int32_t, valign) F(bool, markup)                    \
    E(draw_text_style_t)                                                                                               \
  S(audio_sound_t) F(float, volume) F(float, pan) F(float, pitch) F(float, fade_s) F(float, x) F(float, y)             \
    F(float, range) F(float, within) F(const char *, bus) F(bool, loop) F(bool, placed) E(audio_sound_t)               \
  S(audio_position_t) F(double, began) F(double, at_s) F(double, drift_s) E(audio_position_t)                          \
  S(event_o) F(uint32_t, id) P(event_o)                                                                                \
  S(interpreter_instruction_t) F(uint16_t, operation) F(uint16_t, slot) F(int32_t, to) F(int32_t, a) F(int32_t, b)     \
    F(int32_t, c) F(double, value) E(interpreter_instruction_t)                                                        \
  S(native_exits_t) F(const int32_t *, rows) F(int32_t, count) F(int32_t, next) E(native_exits_t)                      \
  S(column_view_t) F(void *, data) F(const uint32_t *, rows) F(uint32_t, count) F(uint32_t, first)                     \
    F(uint8_t *, marks) E(column_view_t)                                                                               \
  S(row_map_t) F(const uint32_t *, rows) F(int32_t, aligned) E(row_map_t)                                              \
  S(view_map_t) F(row_map_t *, map) F(const column_view_t *, view) E(view_map_t)                                       \
  S(entities_t) F(uint8_t *, generation) F(uint8_t *, alive) F(uint32_t, used) F(uint32_t, capacity)                   \
    F(uint32_t, alive_count) F(uint32_t *, assemblage) F(uint32_t *, state) F(uint32_t **, died_tick)                  \
    F(uint32_t **, died_by) F(uint8_t *, marks) P(entities_t)                                                          \
  S(manager_o) F(uint32_t **, pages) F(shoal_entity *, owner) F(void **, data) F(uint32_t, count)                      \
    F(uint32_t, page_count) F(uint32_t, id) F(uint32_t *, instance) F(uint32_t *, next) P(manager_o)                   \
  S(query_o) F(uint32_t, count) F(uint32_t, capacity) F(shoal_entity *, entities) F(column_view_t, entity_view)        \
    P(query_o)                                                                                                         \
  S(columns_t) F(uint32_t, count) F(uint32_t, capacity) F(uint32_t, column_count) F(void **, data)                     \
    F(uint32_t *, element_bytes) F(uint32_t, stored_count) P(columns_t)                                                \
  S(vm_context_t) F(uint32_t, piece) F(uint32_t, watcher) F(uint32_t, muted) F(uint32_t, idle)                         \
    F(double, entity) E(vm_context_t)                                                                                  \
  S(handles_t) F(uint32_t *, ids) F(uint32_t, capacity) P(handles_t)                                                   \
  S(spawn_field_t) F(uint32_t, manager) F(uint32_t, column) F(uint32_t, part) E(spawn_field_t)                         \
  S(entity_list_t) F(shoal_entity *, items) F(uint32_t, count) F(uint32_t, capacity) E(entity_list_t)                  \
  S(world_lane_t) F(uint32_t, next) F(uint32_t, after) F(uint32_t *, joined) F(entity_list_t *, lists)                 \
    P(world_lane_t)                                                                                                    \
  S(pair_t) F(uint32_t, manager) F(uint32_t, column) F(shoal_entity, target) E(pair_t)                                 \
  S(near_hit_t) F(shoal_entity, entity) F(double, x) F(double, y) F(double, nx) F(double, ny) E(near_hit_t)            \
  S(compare_value_t) F(uint32_t, kind) F(double, number) A(char, text, [96]) E(compare_value_t)                        \
  S(compare_item_t) F(uint32_t, kind) F(shoal_entity, entity) F(uint32_t, row) A(char, label, [96])                    \
    A(char, component, [64]) A(char, instance, [96]) A(char, field, [48]) F(compare_value_t, a)                        \
    F(compare_value_t, b) E(compare_item_t)                                                                            \
  S(random_t) A(uint32_t, s, [4]) E(random_t)                                                                          \
  S(input_window_t) F(uint16_t, width) F(uint16_t, height) F(uint8_t, minimised) F(uint8_t, unfocused)                 \
    F(uint8_t, fullscreen) F(uint8_t, closed) E(input_window_t)                                                        \
  S(sampled_player_t) A(int8_t, values, [64]) F(uint64_t, pressed) F(uint64_t, released) F(float, pointer_x)           \
    F(float, pointer_y) E(sampled_player_t)                                                                            \
  S(player_info_t) A(char, name, [28]) F(uint32_t, colour) E(player_info_t)                                            \
  S(sampled_players_t) F(uint32_t, present) A(sampled_player_t, players, [32]) E(sampled_players_t)                    \
  S(player_actions_t) F(uint8_t, size) A(uint8_t, bytes, [255]) E(player_actions_t)                                    \
  S(input_state_t) A(uint8_t, keys, [512]) A(uint8_t, pad_buttons, [4][24]) A(float, pad_axes, [4][6])                 \
    A(uint8_t, pad_connected, [4]) A(uint8_t, mouse_buttons, [6]) F(float, mouse_x) F(float, mouse_y)                  \
    F(float, wheel) F(input_window_t, window) A(uint8_t, pad_kinds, [4]) F(uint8_t, used) F(uint8_t, scale)            \
    F(uint8_t, tearing) F(uint8_t, paused_ms) A(char, text, [64]) A(char, composing, [64]) F(uint8_t, has_players)     \
    F(sampled_players_t, players) A(player_info_t, player_infos, [32]) A(player_actions_t, actions, [32])              \
    F(uint8_t, has_notches) F(int8_t, notches) A(uint8_t, toggled, [4]) A(uint8_t, unused, [2])                        \
    F(float, mouse_dx) F(float, mouse_dy) A(int32_t, motion_x, [32]) A(int32_t, motion_y, [32])                        \
    E(input_state_t)                                                                                                   \
  S(player_status_t) F(uint32_t, ping_ms) F(uint8_t, connected) F(uint8_t, muted) F(uint8_t, local) E(player_status_t) \
  S(input_binding_t) F(int32_t, device) F(int32_t, code) F(int32_t, pad) F(float, sign) E(input_binding_t)             \
  S(script_save_request_t) F(bool, drop) F(bool, quiet) A(char, name, [64]) E(script_save_request_t)                   \
  S(script_pointer_t) F(bool, hidden) F(bool, confined) F(bool, relative) A(char, image, [256]) E(script_pointer_t)    \
  S(script_move_t) F(uint32_t, player) A(char, room, [40]) E(script_move_t)                                            \
  S(script_requests_t) F(int, quit) F(int, pause) F(int, fullscreen) F(bool, reload) F(bool, restart)                  \
    F(bool, restore) F(bool, restore_replay) F(double, restore_tick) A(char, game, [512]) F(bool, host_match)          \
    A(char, join_match, [256]) A(char, match_password, [129]) A(char, match_key, [32])                                 \
    F(bool, join_world) A(char, match_room, [40]) A(char, match_code, [129])                                           \
    F(uint32_t, save_count) A(script_save_request_t, saves, [16]) A(char, load, [64])                                  \
    F(bool, load_quiet) F(int, scale) F(int, vsync) A(bool, rumbles, [4]) A(float, rumble, [4][2]) F(int, players)     \
    F(bool, begin_match) F(int, leave_match) F(uint32_t, options_of) F(uint32_t, quit_of) F(uint32_t, players_of)      \
    F(uint32_t, move_count) A(script_move_t, moves, [32])                                                              \
    F(bool, has_pointer) F(script_pointer_t, pointer) E(script_requests_t)                                             \
  S(script_match_box_t) A(char, title, [192]) A(char, lines, [4][512]) A(char, hint, [96]) A(char, buttons, [3][64])   \
    A(char, keys, [3][8]) A(char, pads, [3][16]) F(bool, is_failure) E(script_match_box_t)                             \
  S(script_match_chat_line_t) A(char, text, [240]) F(uint32_t, colour) E(script_match_chat_line_t)                     \
  S(script_match_menu_t) F(uint32_t, page) F(bool, is_host) F(bool, is_world) F(bool, leaves)                          \
    A(char, addresses, [144]) F(bool, has_chat_key) A(char, line, [201]) F(uint32_t, chat_fault)                       \
    F(bool, has_main_page)                                                                                             \
    A(char, names, [32][28]) F(uint32_t, present) F(uint32_t, own) F(uint32_t, lost) F(uint32_t, muted)                \
    A(uint32_t, reserved_s, [32]) F(uint32_t, bans) F(uint32_t, moderation) F(uint32_t, moderated_player)              \
    A(script_match_box_t, boxes, [2]) A(script_match_chat_line_t, chat, [6]) F(uint32_t, box_changes)              \
    A(uint32_t, pressed, [2])                                                                                          \
    E(script_match_menu_t)

#define ABI_TYPES                                                                                                      \
  typedef uint32_t shoal_entity;                                                                                       \
  typedef struct world_o world_o;                                                                                      \
  typedef struct strings_o strings_o;                                                                                  \
  typedef struct schedule_o schedule_o;                                                                                \
  typedef struct vm_o vm_o;                                                                                            \
  typedef struct draw_o draw_o;                                                                                        \
  typedef struct audio_o audio_o;                                                                                      \
  typedef struct render_o render_o;                                                                                    \
  typedef struct native_set_o native_set_o;                                                                            \
  typedef struct native_loop_o native_loop_o;                                                                          \
  typedef struct snapshot_o snapshot_o;                                                                                \
  typedef struct allocator_t allocator_t;                                                                              \
  typedef struct migration_t migration_t;                                                                              \
  typedef enum observed_t { OBSERVED_LEAVE, OBSERVED_ENTER, OBSERVED_CHANGED, OBSERVED_KINDS } observed_t;             \
  ABI_STRUCTS(BIND_STRUCT, BIND_FIELD, BIND_ARRAY, BIND_STRUCT_END, BIND_STRUCT_END)

#define ABI_FUNCTIONS                                                                                                  \
  double view_tick(const world_o *w);                                                                                  \
  uint32_t world_tick_rate(const world_o *w);                                                                          \
  bool world_tracks_touched_fields(const world_o *w);                                                                  \
  void world_mark_written(world_o *w, uint32_t manager, uint64_t columns);                                             \
  void world_record_write(world_o *w, uint32_t manager, uint32_t column, uint32_t row, const char *where,              \
    uint32_t line);                                                                                                    \
  uint8_t *world_links_written(world_o *w);                                                                            \
  uint64_t world_hash(world_o *w);                                                                                     \
  int32_t relation_find_column(world_o *w, uint32_t manager, error_info_t *error);                                     \
  bool relation_add_pair(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target, uint32_t *instance,        \
                    error_info_t *error);                                                                              \
  bool relation_remove_pair(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);                        \
  uint32_t relation_find_row(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);                       \
  uint32_t relation_find_instance(world_o *w, shoal_entity e, uint32_t manager, shoal_entity target);                  \
  uint32_t relation_list_targets(world_o *w, shoal_entity e, uint32_t manager, shoal_entity *out, uint32_t max);       \
  const shoal_entity *relation_list_sources(world_o *w, shoal_entity e, uint32_t manager, uint32_t column,             \
                                       uint32_t *count);                                                               \
  query_o *pair_query_find_or_create(world_o *w, query_o *base, const pair_t *pairs, uint32_t count,                   \
                                     error_info_t *error);                                                             \
  query_o *pair_query_create(world_o *w, query_o *base, const pair_t *pairs, uint32_t count);                          \
  void pair_query_retarget(query_o *q, const shoal_entity *targets);                                                   \
  void pair_query_open(query_o *q); void pair_query_close(query_o *q);                                                 \
  uint64_t changes_count(world_o *w, uint32_t manager);                                                                \
  uint32_t observer_find_or_create(world_o *w, const char *name, query_o *q, bool compares);                           \
  uint32_t observer_get_watcher(world_o *w, uint32_t observer);                                                        \
  bool observer_has_pending(world_o *w, uint32_t observer);                                                            \
  void observer_begin_delivery(world_o *w, uint32_t observer); void observer_end_delivery(world_o *w, uint32_t         \
    observer);                                                                                                         \
  const shoal_entity *observer_get_list(world_o *w, uint32_t observer, observed_t kind, uint32_t *count);              \
  void observer_mark_handled(world_o *w, uint32_t observer, observed_t kind, uint32_t i);                              \
  uint32_t observer_last_assemblage(world_o *w, uint32_t observer, uint32_t i);                                        \
  uint32_t observer_last_state(world_o *w, uint32_t observer, uint32_t i);                                             \
  uint32_t observer_last_removal(world_o *w, uint32_t observer, uint32_t i);                                           \
  void observer_drop_replaced(world_o *w, uint32_t observer, uint32_t manager);                                        \
  uint32_t last_values_find(manager_o *m, shoal_entity e, uint32_t removal, uint32_t instance, bool any);              \
  double last_values_get(const manager_o *m, uint32_t row, uint32_t column);                                           \
  uint32_t event_deaths_removal(const world_o *w, shoal_entity e, uint32_t event);                                     \
  uint32_t event_deaths_state(const world_o *w, shoal_entity e, uint32_t event);                                       \
  entities_t *world_entities(world_o *w);                                                                              \
  strings_o *world_strings(world_o *w);                                                                                \
  random_t *world_random(world_o *w);                                                                                  \
  void matrix_multiply(const float *a, const float *b, float *out); void matrix_invert(const float *m, float *out);    \
  float matrix_determinant(const float *m); void matrix_from_quat(float x, float y, float z, float w, float *out);     \
  void matrix_to_quat(const float *m, float *xyzw); void matrix_look_at(const float *places, float *out);              \
  void matrix_perspective(const float *lens, float *out); void matrix_ortho(const float *box, float *out);             \
  double random_unit(random_t *r);                                                                                     \
  uint32_t strings_intern_and_report(strings_o *s, const char *text, size_t length);                                   \
  uint32_t strings_find(const strings_o *s, const char *text);                                                         \
  const char *strings_text(const strings_o *s, uint32_t id);                                                           \
  size_t strings_length(const strings_o *s, uint32_t id);                                                              \
  uint32_t strings_epoch(const strings_o *s);                                                                          \
  void strings_pin(strings_o *s, uint32_t id);                                                                         \
  void world_set_layers(world_o *w, const char *names, uint32_t count);                                                \
  uint32_t world_declare_schema(world_o *w, const schema_t *schema, error_info_t *error);                              \
  bool world_check_schema(world_o *w, const schema_t *schema, error_info_t *error);                                    \
  manager_o *world_manager(world_o *w, uint32_t id);                                                                   \
  manager_o *world_find_manager(world_o *w, const char *name);                                                         \
  uint32_t world_manager_count(const world_o *w);                                                                      \
  event_o *world_event(world_o *w, uint32_t id);                                                                       \
  event_o *world_find_event(world_o *w, const char *name);                                                             \
  world_lane_t *world_command_lane(world_o *w);                                                                        \
  uint32_t world_event_count(const world_o *w);                                                                        \
  uint32_t manager_find_instance_row(const manager_o *m, shoal_entity e, uint32_t instance);                           \
  void manager_compute_derived_field(const manager_o *m, uint32_t field, const uint32_t *rows, uint32_t first,         \
    uint32_t count,                                                                                                    \
                      void *out);                                                                                      \
  void query_compute_derived(query_o *q, uint32_t manager);                                                            \
  void definitions_clear_assemblages(world_o *w);                                                                      \
  uint32_t world_assemblage_declare(world_o *w, uint32_t name);                                                        \
  void world_assemblage_set_doc(world_o *w, uint32_t assemblage, const char *doc);                                     \
  uint32_t world_assemblage_add_state(world_o *w, uint32_t assemblage, uint32_t state_name);                           \
  void world_assemblage_add_component(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,     \
                            uint32_t instance);                                                                        \
  void world_assemblage_set_field(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,         \
                            uint32_t instance, uint32_t column, double value);                                         \
  bool retained_values_declare(world_o *w, uint32_t assemblage, uint32_t template_number, uint32_t manager,            \
                        uint32_t instance, uint32_t as, error_info_t *error);                                          \
  void world_assemblage_add_child(world_o *w, uint32_t assemblage, uint32_t child_name, uint32_t child_assemblage);    \
  uint32_t world_find_assemblage(world_o *w, uint32_t name);                                                           \
  uint32_t world_assemblage_alive_count(world_o *w, uint32_t name);                                                    \
  shoal_entity world_spawn(world_o *w, uint32_t assemblage, error_info_t *error);                                      \
  uint32_t world_spawn_tree(world_o *w, uint32_t assemblage, shoal_entity *out, uint32_t max, error_info_t *error);    \
  const char *definitions_list(world_o *w);                                                                            \
  const char *state_definitions_list(const snapshot_o *s, world_o *w);                                                 \
  void definitions_begin_change(world_o *w, uint32_t name, uint32_t json);                                             \
  void definitions_retire_assemblage(world_o *w, uint32_t name);                                                       \
  void definitions_end_change(world_o *w, const char *list);                                                           \
  shoal_entity world_spawn_with_values(world_o *w, uint32_t assemblage, spawn_field_t *fields, const double *values,   \
                                uint32_t count, error_info_t *error);                                                  \
  bool system_has_started(world_o *w, uint32_t system);                                                                \
  void system_set_started(world_o *w, uint32_t system);                                                                \
  uint32_t system_get_switch(world_o *w, uint32_t system);                                                             \
  void system_set_switch(world_o *w, uint32_t system, bool on);                                                        \
  uint32_t world_spawn_block_begin(world_o *w, uint32_t assemblage, uint32_t count, error_info_t *error);              \
  shoal_entity *world_spawn_block_entities(world_o *w, uint32_t block);                                                \
  columns_t *world_spawn_block_columns(world_o *w, uint32_t block, uint32_t manager, uint32_t instance);               \
  void world_spawn_block_commit(world_o *w, uint32_t block);                                                           \
  void world_spawn_block_abort(world_o *w, uint32_t block);                                                            \
  uint32_t world_spawn_many(world_o *w, uint32_t assemblage, uint32_t count, shoal_entity *out, error_info_t *error);  \
  uint32_t world_query_destroy_entities(world_o *w, query_o *q);                                                       \
  bool world_query_add_component(world_o *w, query_o *q, uint32_t manager, const uint32_t *columns, const double       \
    *values,                                                                                                           \
                       uint32_t value_count, error_info_t *error);                                                     \
  bool world_query_remove_component(world_o *w, query_o *q, uint32_t manager, error_info_t *error);                    \
  uint32_t world_query_count(const world_o *w);                                                                        \
  query_o *world_query_by_id(world_o *w, uint32_t id);                                                                 \
  bool world_group_query(world_o *w, query_o *q, error_info_t *error);                                                 \
  void world_ungroup_query(world_o *w, query_o *q);                                                                    \
  bool world_destroy_entity(world_o *w, shoal_entity e);                                                               \
  bool world_add_component(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, error_info_t *error);      \
  bool world_remove_component(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance);                        \
  bool world_check_removal(world_o *w, shoal_entity e, uint32_t manager, error_info_t *error);                         \
  bool world_is_required(const world_o *w, uint32_t manager);                                                          \
  bool world_set_field(world_o *w, shoal_entity e, uint32_t manager, uint32_t instance, uint32_t column, double value, \
                 error_info_t *error);                                                                                 \
  bool world_enter_state(world_o *w, shoal_entity e, uint32_t state_name, error_info_t *error);                        \
  bool world_has_component(const world_o *w, shoal_entity e, uint32_t manager);                                        \
  bool world_is_component_pending(const world_o *w, shoal_entity e, uint32_t manager);                                 \
  bool world_has_queued_spawn(const world_o *w); manager_o *queued_manager(world_o *w, uint32_t manager);              \
  void queued_entities_update(world_o *w); uint32_t queued_row(world_o *w, shoal_entity e, uint32_t manager);          \
  uint32_t queued_state(world_o *w, shoal_entity e);                                                                   \
  bool world_is_disabled(const world_o *w, shoal_entity e, uint32_t manager);                                          \
  void world_defer_begin(world_o *w, uint32_t by);                                                                     \
  void world_defer_end(world_o *w, bool drop);                                                                         \
  uint32_t world_command_count(const world_o *w);                                                                      \
  double world_estimate_command_work(world_o *w, uint32_t from);                                                       \
  bool world_is_deferring(const world_o *w);                                                                           \
  const uint32_t *world_deferral_depth(const world_o *w);                                                              \
  void query_open(query_o *q);                                                                                         \
  void query_wake(query_o *q);                                                                                         \
  void query_close(query_o *q);                                                                                        \
  void world_watch_enable_last_rows(world_o *w, uint32_t watcher);                                                     \
  void world_watch_return_entries(world_o *w, uint32_t watcher);                                                       \
  void world_set_actor(world_o *w, uint32_t by);                                                                       \
  uint32_t world_emit_event(world_o *w, uint32_t event);                                                               \
  void world_set_event_field(world_o *w, uint32_t ticket, uint32_t column, double value);                              \
  void event_close(event_o *ev);                                                                                       \
  columns_t *event_fill_begin(world_o *w, uint32_t event, uint32_t count);                                             \
  void event_fill_end(world_o *w, uint32_t event, bool keep);                                                          \
  uint32_t event_stage_row(world_o *w, uint32_t event, bool blank);                                                    \
  columns_t *event_get_staged_columns(world_o *w, uint32_t event);                                                     \
  uint32_t transform_list_children(world_o *w, shoal_entity e, shoal_entity *out, uint32_t max);                       \
  void owned_keep(world_o *w, uint8_t *kept);                                                                          \
  shoal_entity transform_find_parent(world_o *w, shoal_entity e);                                                      \
  double ease_evaluate(uint32_t ease, double t);                                                                       \
  double tilemap_get(world_o *w, shoal_entity e, const char *layer, double column, double row, error_info_t *error);   \
  bool tilemap_set(world_o *w, shoal_entity e, const char *layer, double column, double row, double cell,              \
                   error_info_t *error);                                                                               \
  int tilemap_is_solid(world_o *w, shoal_entity e, double column, double row, error_info_t *error);                    \
  bool tilemap_size(world_o *w, shoal_entity e, double out[6], error_info_t *error);                                   \
  double tilemap_get_object_cell(world_o *w, shoal_entity e, double id, error_info_t *error);                          \
  const char *tilemap_find_tileset(world_o *w, shoal_entity e, double tile, double *out, error_info_t *error);         \
  void body_grid_capture(world_o *w);                                                                                  \
  uint32_t near_find_in_circle(world_o *w, double x, double y, double radius, uint32_t mask, shoal_entity *out,        \
                       uint32_t max);                                                                                  \
  uint32_t near_count_in_circle(world_o *w, double x, double y, double radius, uint32_t mask);                         \
  uint32_t near_find_nearest(world_o *w, double x, double y, uint32_t k, uint32_t mask, shoal_entity *out);            \
  uint32_t near_find_in_box(world_o *w, double left, double top, double right, double bottom, uint32_t mask,           \
                    shoal_entity *out, uint32_t max);                                                                  \
  bool viewport_project(world_o *w, double width, double height, uint32_t players, bool back, double *xy,              \
                        shoal_entity *camera);                                                                         \
  uint32_t world_view_players(const world_o *w);                                                                       \
  void draw_set_view(draw_o *d, uint32_t camera);                                                                      \
  bool near_cast_ray(world_o *w, double x1, double y1, double x2, double y2, uint32_t mask, near_hit_t *out);          \
  bool tile_ray_cast(world_o *w, double x1, double y1, double x2, double y2, near_hit_t *out);                         \
  bool input_parse(const char *text, input_binding_t *out);                                                            \
  bool input_find_pressed(const input_state_t *before, const input_state_t *now, input_binding_t *out);                \
  const char *input_name(const input_binding_t *binding, char *out);                                                   \
  const char *input_label(const input_binding_t *binding, uint32_t kind, bool layout, char *out);                      \
  void ui_set_bindings(world_o *w, uint32_t action, const input_binding_t *bindings, uint32_t count);                  \
  void ui_declare_action_bindings(world_o *w, const char *name, uint32_t part, const input_binding_t *bindings,        \
                                  uint32_t count);                                                                     \
  void ui_declare_action_button(world_o *w, const char *name, const char *event);                                      \
  void ui_declare_held_action(world_o *w, const char *name, bool is_held);                                             \
  const input_binding_t *ui_action_bindings(world_o *w, const char *name, uint32_t part, uint32_t *count);             \
  bool ui_read_action(world_o *w, const char *name, int32_t player, float *now, float *before);                        \
  const char *ui_machine_text(world_o *w, uint32_t kind);                                                              \
  void ui_set_machine_text(world_o *w, uint32_t kind, const char *text);                                               \
  uint32_t ui_rebinding_stage(world_o *w);                                                                             \
  void ui_set_rebinding_stage(world_o *w, uint32_t stage);                                                             \
  void world_keep_on_machine(world_o *w, const char *component, const char *field);                                    \
  uint32_t ui_max_players(world_o *w);                                                                                 \
  bool ui_read_action_edges(world_o *w, const char *name, int32_t player, bool *pressed, bool *released);              \
  void ui_set_theme_key(world_o *w, const char *style, uint32_t state, uint32_t key, const float *numbers,             \
                    const char *text);                                                                                 \
  void ui_strings_begin(world_o *w);                                                                                   \
  void ui_add_string(world_o *w, const char *language, const char *key, uint32_t form, const char *text);              \
  const char *ui_resolve_string(world_o *w, const char *reference);                                                    \
  bool ui_type_text(world_o *w, shoal_entity entity, uint32_t player, const char *text, uint32_t erased);              \
  void ui_submit_entry(world_o *w, shoal_entity entity, uint32_t player);                                              \
  void ui_remove_focus(world_o *w);                                                                                    \
  bool ui_had_focus(world_o *w, shoal_entity entity);                                                                  \
  uint32_t plural_choose(const char *language, const char *number);                                                    \
  bool plural_has_rules(const char *language);                                                                         \
  bool builtin_release_name(world_o *w, const char *name, const char *owner);                                          \
  void draw_get_visible_area(const draw_o *d, float out[4]);                                                           \
  void draw_reset(draw_o *d);                                                                                          \
  void draw_set_space(draw_o *d, bool screen);                                                                         \
  void draw_set_layer(draw_o *d, int32_t layer);                                                                       \
  void draw_set_colour(draw_o *d, float r, float g, float b, float a);                                                 \
  void draw_set_blend(draw_o *d, bool add);                                                                            \
  void draw_set_font(draw_o *d, const char *font);                                                                     \
  void draw_set_text_style(draw_o *d, const draw_text_style_t *style);                                                 \
  void draw_line(draw_o *d, float x1, float y1, float x2, float y2, float width);                                      \
  void draw_circle(draw_o *d, float x, float y, float radius, bool filled, float width);                               \
  void draw_rect(draw_o *d, float x, float y, float width, float height, bool filled, float line_width);               \
  void draw_polygon(draw_o *d, const float *xy, uint32_t points, bool filled, float width);                            \
  float draw_scale_text(const draw_o *d, float size);                                                                  \
  void draw_text(draw_o *d, const char *text, float x, float y, float size, int32_t align, float wrap);                \
  void draw_image(draw_o *d, const char *image, float x, float y, float angle, float scale_x, float scale_y,           \
                  uint32_t frame);                                                                                     \
  void audio_play_with_voice(audio_o *a, uint32_t voice, const char *file, const audio_sound_t *how);                  \
  void audio_stop(audio_o *a, uint32_t voice, float fade_s);                                                           \
  void audio_update_voice(audio_o *a, uint32_t voice, const audio_sound_t *how);                                       \
  bool audio_is_playing(const audio_o *a, uint32_t voice);                                                             \
  void audio_set_volume(audio_o *a, const char *bus, float volume);                                                    \
  void ui_set_prompt(world_o *w, const char *action, const char *shows);                                               \
  void audio_set_effects(audio_o *a, const char *bus, float lowpass_hz, float reverb, float fade_s);                   \
  void audio_layers_begin(audio_o *a);                                                                                 \
  void audio_declare_layer(audio_o *a, const char *file, const audio_position_t *position, float volume);              \
  void audio_layers_end(audio_o *a, float lowpass_hz, float reverb);                                                   \
  void vm_add_bus(vm_o *vm, const char *name, float volume, float duck, float attack_s, float release_s,               \
                   const char *under, float lowpass_hz, float reverb);                                                 \
  schema_t *vm_build_schema(vm_o *vm, const schema_desc_t *desc, uint32_t *wrong, error_info_t *error);                \
  const char *schema_entity_methods(void);                                                                             \
  void world_declare_renamed_field(world_o *w, const char *from, uint32_t manager, uint32_t column, const char         \
    *field);                                                                                                           \
  void world_clear_renames(world_o *w);                                                                                \
  void world_declare_removed_component(world_o *w, const char *name);                                                  \
  void former_names_clear(world_o *w);                                                                                 \
  void world_declare_renamed_system(world_o *w, const char *from, const char *to);                                     \
  void world_declare_renamed_assemblage(world_o *w, const char *from, const char *to);                                 \
  void world_declare_renamed_event(world_o *w, const char *from, const char *to);                                      \
  void world_declare_renamed_state(world_o *w, const char *assemblage, const char *from, const char *to);              \
  uint32_t migration_manager(const migration_t *m);                                                                    \
  uint32_t migration_count(const migration_t *m);                                                                      \
  const schema_t *migration_schema(const migration_t *m);                                                              \
  void *migration_data(const migration_t *m, uint32_t field);                                                          \
  const uint32_t *migration_rows(const migration_t *m);                                                                \
  void vm_free_schemas(vm_o *vm);                                                                                      \
  bool declare_system(schedule_o *s, vm_o *vm, const char *name, const char *phase, int32_t priority,                  \
                      const char *after, const char *before, uint32_t every, uint32_t number, const char *file,        \
                      uint32_t line, const char *doc, const char *when, bool off, error_info_t *error);                \
  const schema_t *view_schema(const manager_o *m, const event_o *ev);                                                  \
  query_o *view_query(world_o *w, const uint32_t *managers, const uint32_t *roles, uint32_t count,                     \
                      error_info_t *error);                                                                            \
  query_o *view_inspection(world_o *w, const uint32_t *managers, const uint32_t *roles, uint32_t count,                \
                           error_info_t *error);                                                                       \
  query_o *view_system_query(const query_o *q);                                                                        \
  bool view_query_is_aligned(query_o *q, uint32_t manager);                                                            \
  bool view_query_is_grouped(const query_o *q);                                                                        \
  query_o *view_row_group(const manager_o *m);                                                                         \
  double view_query_bytes(const query_o *q);                                                                           \
  column_view_t *view_query_column(query_o *q, uint32_t manager, uint32_t column, bool mapped);                        \
  column_view_t *view_query_presence(query_o *q, uint32_t manager);                                                    \
  uint32_t view_query_version(const query_o *q);                                                                       \
  void view_fill_maps(const view_map_t *maps, uint32_t count);                                                         \
  void view_clear_maps(const view_map_t *maps, uint32_t count);                                                        \
  uint32_t view_event_open(world_o *w, uint32_t reader, uint32_t event);                                               \
  void view_event_mark_read(world_o *w, uint32_t reader, uint32_t event);                                              \
  column_view_t *view_event_column(event_o *ev, uint32_t column);                                                      \
  native_set_o *vm_begin_native(vm_o *vm);                                                                             \
  uint32_t native_set_level(const native_set_o *s); bool native_set_waits_for_code(const native_set_o *s);             \
  void native_set_refuse_system(native_set_o *s, const char *system, const char *at, const char *why);                 \
  native_loop_o *native_loop_create(native_set_o *s, const char *system, const char *at, query_o *q);                  \
  uint32_t native_set_swap_seed(const native_set_o *s);                                                                \
  int32_t native_loop_add_column(native_loop_o *l, uint32_t manager, uint32_t column, bool written);                   \
  int32_t native_loop_add_entities(native_loop_o *l);                                                                  \
  int32_t native_loop_add_presence(native_loop_o *l, uint32_t manager);                                                \
  int32_t native_loop_add_component_column(native_loop_o *l, uint32_t manager, uint32_t column, bool written);         \
  int32_t native_loop_add_query_column(native_loop_o *l, query_o *q, uint32_t manager, uint32_t column, bool rows);    \
  void native_loop_set_line(native_loop_o *l, int32_t column, uint32_t line);                                          \
  bool native_are_queries_disjoint(const query_o *q, const query_o *other);                                            \
  bool native_is_query_aligned(const query_o *q, uint32_t manager);                                                    \
  int32_t native_loop_add_lookup(native_loop_o *l, uint32_t kind, uint32_t manager);                                   \
  double *native_loop_parameters(native_loop_o *l, uint32_t count);                                                    \
  void native_loop_set_iterations(native_loop_o *l, int32_t parameter, double max_stop, double step);                  \
  bool native_loop_compile(native_loop_o *l, const char *text, uint32_t length, uint32_t width, uint32_t order);       \
  bool native_loop_add_read(native_loop_o *l, uint32_t manager);                                                       \
  bool native_loop_add_emission(native_loop_o *l, uint32_t event);                                                     \
  bool native_loop_add_emitted_column(native_loop_o *l, uint32_t column);                                              \
  bool native_loop_add_entered_state(native_loop_o *l, uint32_t state_name);                                           \
  bool native_loop_set_instructions(native_loop_o *l, const interpreter_instruction_t *instructions, uint32_t count,   \
                             uint32_t prologue, uint32_t registers, uint32_t width, uint32_t order);                   \
  double native_loop_pop_report(native_loop_o *l, uint32_t report, double *value);                                     \
  int32_t interpreter_find_operation(const char *name);                                                                \
  void native_loop_record_analysis_ticks(native_loop_o *l, uint32_t ticks);                                            \
  void native_loop_record_limits(native_loop_o *l, const char *text);                                                  \
  void native_loop_record_costs(native_loop_o *l, double lua_ns, double native_ns);                                    \
  bool native_loop_is_ready(native_loop_o *l);                                                                         \
  const char *native_loop_find_failure(native_loop_o *l, bool waits);                                                  \
  uint32_t native_loop_run(native_loop_o *l, uint32_t first); double native_clock_ns(void);                            \
  uint32_t native_loop_run_range(native_loop_o *l, uint32_t begin, uint32_t first, uint32_t end);                      \
  void native_loop_run_all(native_loop_o *l, int32_t dt, float dt_s);                                                  \
  native_exits_t *native_loop_allow_deferral(native_loop_o *l, bool changes);                                          \
  bool native_loop_declare_exit_access(native_loop_o *l, uint32_t manager, uint32_t column, bool written);             \
  bool native_loop_declare_exit_state(native_loop_o *l, uint32_t state_name);                                          \
  bool native_loop_set_deferral(native_loop_o *l, bool defers, uint32_t spawns);                                       \
  double native_processor_ns(void); void native_set_record_analysis(native_set_o *s, double processor_ns);             \
  bool native_set_add_nan_report(native_set_o *s, const char *text);                                                   \
  const char *range_describe_problem(const char *label, double low, double high, double value, double stored,          \
                                     uint32_t flags, char *out);                                                       \
  void world_count_clamped(world_o *w, uint32_t manager, uint32_t column);                                             \
  void vm_declare_loop(vm_o *vm, uint32_t system, const char *name, const native_loop_o *l);                           \
  void vm_declare_query(vm_o *vm, const char *system, const query_o *q);                                               \
  void vm_set_native_loop(vm_o *vm, uint32_t system, const char *name, native_loop_o *l, int32_t dt_parameter,         \
                         uint32_t runs_left, bool needs_lua);                                                          \
  void vm_set_alone_reason(vm_o *vm, const char *name, const char *why);                                               \
  void vm_loop_use_tiles(native_loop_o *l);                                                                            \
  double vm_garbage_per_run(const vm_o *vm, uint32_t system);                                                          \
  uint32_t vm_pop_native_runs(vm_o *vm, uint32_t system);                                                              \
  void vm_clear_native_loops(vm_o *vm);                                                                                \
  void vm_mark_started(vm_o *vm, uint32_t system);                                                                     \
  bool vm_is_started(const vm_o *vm, uint32_t system);                                                                 \
  void vm_skip_piece(vm_o *vm, uint32_t system, uint32_t piece);                                                       \
  void vm_record_piece_success(vm_o *vm, const char *name);                                                            \
  void parked_pieces_retry(world_o *w);                                                                                \
  void vm_begin_scene_change(vm_o *vm, uint32_t enters);                                                               \
  bool vm_exceeds_memory_limit(vm_o *vm, bool stop);                                                                   \
  void vm_end_scene_change(vm_o *vm);                                                                                  \
  void vm_begin_start_hook(vm_o *vm, uint32_t system);                                                                 \
  void vm_end_start_hook(vm_o *vm);                                                                                    \
  void vm_restart_budget(vm_o *vm, uint32_t budget);                                                                   \
  void vm_set_budgets(vm_o *vm, double system_ms, double start_ms, double load_ms);                                    \
  void vm_set_sql_steps(vm_o *vm, double steps);                                                                       \
  void vm_require_finalizers(vm_o *vm);                                                                                \
  void watchdog_check_stack(void);                                                                                     \
  void handles_create_handle(handles_t *h, const entities_t *s, shoal_entity id);                                      \
  double columns_read_f32(const float *at);                                                                            \
  double columns_read_f64(const double *at);                                                                           \
  snapshot_o *vm_create_snapshot(vm_o *vm);                                                                            \
  void vm_destroy_snapshot(vm_o *vm, snapshot_o *s);                                                                   \
  bool snapshot_take(snapshot_o *s, world_o *w, error_info_t *error);                                                  \
  bool snapshot_check(const snapshot_o *s, world_o *w, error_info_t *error);                                           \
  bool snapshot_restore(const snapshot_o *s, world_o *w, error_info_t *error);                                         \
  void snapshot_restore_later(snapshot_o *s, world_o *w);                                                              \
  uint64_t snapshot_compare(const snapshot_o *a, const snapshot_o *b, world_o *w, compare_item_t *out, uint32_t max,   \
                            error_info_t *error);                                                                      \
  size_t snapshot_size(const snapshot_o *s);                                                                           \
  uint64_t snapshot_tick(const snapshot_o *s);

// clang-format on
ABI_FUNCTIONS

// Adds the declarations and the functions to a VM; the table `native` is on top of the stack.
void abi_bind(lua_State *L);

#endif
