#include "script/abi.h"

#include "components/transform.h"

#include <assert.h>
#include <stddef.h>

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...) TEXT_OF(__VA_ARGS__)

const char abi_text[] = TEXT(ABI_TYPES) TEXT(ABI_FUNCTIONS);

// Lua reads these in place: the order of members in ABI_TYPES is the order in the rooms' headers.
static_assert(offsetof(column_view_t, rows) == 8 && offsetof(column_view_t, count) == 16 &&
                  offsetof(column_view_t, column) == 20 && offsetof(column_view_t, marks) == 24 &&
                  sizeof(column_view_t) == 32,
              "column_view_t differs from ABI_TYPES");
static_assert(offsetof(entities_t, alive) == 8 && offsetof(entities_t, used) == 16 &&
                  offsetof(entities_t, alive_count) == 24 && offsetof(entities_t, assemblage) == 32 &&
                  offsetof(entities_t, state) == 40 && offsetof(entities_t, died_tick) == 48 &&
                  offsetof(entities_t, died_by) == 56,
              "entities_t differs from ABI_TYPES");
static_assert(offsetof(manager_o, pages) == 0 && offsetof(manager_o, owner) == 8 && offsetof(manager_o, data) == 16 &&
                  offsetof(manager_o, count) == 24 && offsetof(manager_o, page_count) == 28 &&
                  offsetof(manager_o, id) == 32 && offsetof(manager_o, instance) == 40 &&
                  offsetof(manager_o, next) == 48,
              "manager_o differs from ABI_TYPES");
static_assert(offsetof(query_o, count) == 0 && offsetof(query_o, entities) == 8 && offsetof(query_o, entity_view) == 16,
              "query_o differs from ABI_TYPES");
static_assert(offsetof(event_o, id) == 0, "event_o differs from ABI_TYPES");
static_assert(offsetof(columns_t, data) == 16 && offsetof(columns_t, stored_count) == 32,
              "columns_t differs from ABI_TYPES");
static_assert(sizeof(query_watch_t) == 8 && offsetof(query_watch_t, entered) == 4,
              "query_watch_t differs from ABI_TYPES");
static_assert(offsetof(input_state_t, pad_axes) == 608 && offsetof(input_state_t, mouse_x) == 716,
              "input_state_t differs from ABI_TYPES");
static_assert(offsetof(shoal_value, text) == 8 && offsetof(shoal_value, numbers) == 16 &&
                  offsetof(shoal_value, entities) == 24 && offsetof(shoal_value, entity) == 32 &&
                  offsetof(shoal_value, count) == 36 && offsetof(shoal_value, any) == 40 && sizeof(shoal_value) == 48,
              "shoal_value differs from ABI_TYPES");
static_assert(sizeof(input_binding_t) == 16, "input_binding_t differs from ABI_TYPES");
static_assert(offsetof(script_requests_t, pause) == 4 && offsetof(script_requests_t, scene) == 10,
              "script_requests_t differs from ABI_TYPES");
static_assert(offsetof(compare_item_t, component) == 108 && offsetof(compare_item_t, field) == 268 &&
                  offsetof(compare_item_t, a) == 320 && sizeof(compare_value_t) == 112,
              "compare_item_t differs from ABI_TYPES");
