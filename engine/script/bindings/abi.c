// Contains the text of abi.h for Lua, and checks that the members of its structs have the same offsets as in the
// modules' headers.
#include "bindings/abi.h"

#include "bindings/bind.h"

#include "countdown/ease.h"
#include "transform/transform.h"

#include <assert.h>
#include <stddef.h>

const char abi_text[] = BIND_TEXT(ABI_TYPES) BIND_TEXT(ABI_FUNCTIONS);

// Lua accesses these structs directly, so ABI_TYPES must declare their members as the modules' headers do.
static_assert(offsetof(column_view_t, rows) == 8 && offsetof(column_view_t, count) == 16 &&
                  offsetof(column_view_t, first) == 20 && offsetof(column_view_t, marks) == 24 &&
                  sizeof(column_view_t) == 32,
              "column_view_t differs from ABI_TYPES");
static_assert(offsetof(entities_t, alive) == 8 && offsetof(entities_t, used) == 16 &&
                  offsetof(entities_t, alive_count) == 24 && offsetof(entities_t, assemblage) == 32 &&
                  offsetof(entities_t, state) == 40 && offsetof(entities_t, died_tick) == 48 &&
                  offsetof(entities_t, died_by) == 56 && offsetof(entities_t, marks) == 64,
              "entities_t differs from ABI_TYPES");
static_assert(offsetof(manager_o, pages) == 0 && offsetof(manager_o, owner) == 8 && offsetof(manager_o, data) == 16 &&
                  offsetof(manager_o, count) == 24 && offsetof(manager_o, page_count) == 28 &&
                  offsetof(manager_o, id) == 32 && offsetof(manager_o, instance) == 40 &&
                  offsetof(manager_o, next) == 48,
              "manager_o differs from ABI_TYPES");
static_assert(offsetof(near_hit_t, x) == 8 && offsetof(near_hit_t, ny) == 32 && sizeof(near_hit_t) == 40,
              "near_hit_t differs from ABI_TYPES");
static_assert(offsetof(audio_sound_t, within) == 28 && offsetof(audio_sound_t, bus) == 32 &&
                  offsetof(audio_sound_t, placed) == 41 && sizeof(audio_sound_t) == 48,
              "audio_sound_t differs from ABI_TYPES");
static_assert(sizeof(audio_position_t) == 24, "audio_position_t differs from ABI_TYPES");
static_assert(offsetof(query_o, count) == 0 && offsetof(query_o, entities) == 8 && offsetof(query_o, entity_view) == 16,
              "query_o differs from ABI_TYPES");
static_assert(offsetof(event_o, id) == 0, "event_o differs from ABI_TYPES");
static_assert(offsetof(columns_t, data) == 16 && offsetof(columns_t, stored_count) == 32,
              "columns_t differs from ABI_TYPES");
static_assert(offsetof(spawn_field_t, column) == 4 && offsetof(spawn_field_t, part) == 8 && sizeof(spawn_field_t) == 12,
              "spawn_field_t differs from ABI_TYPES");
static_assert(offsetof(world_lane_t, joined) == 8 && offsetof(world_lane_t, lists) == 16 &&
                  offsetof(entity_list_t, count) == 8 && offsetof(entity_list_t, capacity) == 12,
              "world_lane_t differs from ABI_TYPES");
static_assert(offsetof(handles_t, id_at) == 0 && offsetof(handles_t, capacity) == 8,
              "handles_t differs from ABI_TYPES");
static_assert(offsetof(input_state_t, pad_axes) == 608 && offsetof(input_state_t, mouse_x) == 716 &&
                  offsetof(input_state_t, window) == 728 && offsetof(input_window_t, closed) == 7 &&
                  offsetof(input_state_t, pad_kinds) == 736 && offsetof(input_state_t, used) == 740 &&
                  offsetof(input_state_t, text) == 744 && offsetof(input_state_t, composing) == 808,
              "input_state_t differs from ABI_TYPES");
static_assert(offsetof(field_t, type) == 208 && offsetof(field_t, choices) == 264 && offsetof(field_t, doc) == 288 &&
                  sizeof(field_t) == 296 && offsetof(schema_t, fields) == 72 && offsetof(schema_t, origin) == 19016 &&
                  offsetof(schema_t, line) == 19144 && offsetof(schema_t, derived_count) == 19152 &&
                  offsetof(schema_t, doc) == 19160 && offsetof(schema_t, required_count) == 19680,
              "field_t or schema_t differs from ABI_TYPES");
static_assert(offsetof(shoal_field, default_vector) == 24 && offsetof(shoal_field, default_string) == 40 &&
                  offsetof(shoal_field, doc) == 72 && sizeof(shoal_field) == 80 &&
                  offsetof(shoal_component, fields) == 16 && sizeof(shoal_component) == 104,
              "shoal_field or shoal_component differs from ABI_TYPES");
static_assert(sizeof(field_range_t) == 24 && offsetof(field_range_t, min) == 8 &&
                  offsetof(schema_desc_t, between) == 28 && offsetof(schema_desc_t, migrates) == 30 &&
                  offsetof(schema_desc_t, has_paths) == 31 && offsetof(schema_desc_t, doc) == 32 &&
                  offsetof(schema_desc_t, required) == 48,
              "field_range_t or schema_desc_t differs from ABI_TYPES");
static_assert(sizeof(error_info_t) == 1256 && offsetof(error_info_t, file) == 1024 &&
                  offsetof(error_info_t, piece) == 1160,
              "error_info_t differs from ABI_TYPES");
static_assert(sizeof(input_binding_t) == 16, "input_binding_t differs from ABI_TYPES");
static_assert(offsetof(draw_text_style_t, line_spacing) == 44 && offsetof(draw_text_style_t, markup) == 56,
              "draw_text_style_t differs from ABI_TYPES");
static_assert(offsetof(script_requests_t, pause) == 4 && offsetof(script_requests_t, restore_tick) == 16 &&
                  offsetof(script_requests_t, game) == 24 && offsetof(script_requests_t, saves) == 540 &&
                  offsetof(script_requests_t, load) == 1596 && offsetof(script_requests_t, rumbles) == 1672 &&
                  offsetof(script_requests_t, rumble) == 1676 && SCRIPT_MAX_SAVES == 16,
              "script_requests_t differs from ABI_TYPES");
static_assert(offsetof(compare_item_t, component) == 108 && offsetof(compare_item_t, field) == 268 &&
                  offsetof(compare_item_t, a) == 320 && sizeof(compare_value_t) == 112,
              "compare_item_t differs from ABI_TYPES");
