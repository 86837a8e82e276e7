// What a plugin can ask of the host: one table of function pointers behind every context, so that nothing is linked.
// Plugins call the functions of <shoal/plugin.h>, which say what each of them does. Part of the public plugin
// headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_API_H
#define SHOAL_API_H

#include "shoal/math.h"
#include "shoal/types.h"

#if defined(__cplusplus) && defined(__cpp_exceptions)
#include <exception>
#include <stdio.h>
#endif

// Changes with everything in these headers that a built plugin would get wrong. A host loads plugins of its own
// version and of those before it. What came after version 2 are services (<shoal/service.h>), each with a version of
// its own.
#define SHOAL_API_VERSION 2u

typedef enum shoal_level { SHOAL_LOG_ERROR = 1, SHOAL_LOG_WARN, SHOAL_LOG_INFO, SHOAL_LOG_DEBUG } shoal_level;

// Writes what has come from outside to `bytes` (`room` long) and returns how many bytes that is, 0 for nothing.
typedef size_t shoal_read_external(void *data, void *bytes, size_t room);

// In this order for ever; new ones come behind.
typedef struct shoal_api {
  uint32_t size, version;
  uint64_t (*tick)(shoal_context *c);
  uint32_t (*tick_rate)(shoal_context *c);
  uint32_t (*random)(shoal_context *c);
  void (*log)(shoal_context *c, shoal_level level, const char *text);
  void (*fail)(shoal_context *c, const char *text);
  void *(*resize)(shoal_context *c, void *old, size_t old_bytes, size_t new_bytes);
  void *(*state)(shoal_context *c);
  void *(*self)(shoal_context *c, const shoal_component *component);
  const shoal_component *(*find)(shoal_context *c, const char *name);
  bool (*alive)(shoal_context *c, shoal_entity e);
  uint32_t (*spawn)(shoal_context *c, const char *assemblage, uint32_t count, shoal_entity *out);
  void (*destroy)(shoal_context *c, const shoal_entity *entities, uint32_t count);
  bool (*add)(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance);
  bool (*remove)(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance);
  bool (*set)(shoal_context *c, shoal_entity e, const shoal_component *component, uint32_t column, double value);
  shoal_table (*table)(shoal_context *c, const shoal_component *component);
  void (*rows)(shoal_context *c, const shoal_component *component, const shoal_entity *entities, uint32_t count,
               uint32_t *rows);
  void *const *(*emit_begin)(shoal_context *c, const shoal_component *event, uint32_t count);
  void (*emit_end)(shoal_context *c, const shoal_component *event);
  shoal_table (*read)(shoal_context *c, const shoal_component *event);
  const char *(*text)(shoal_context *c, uint32_t id);
  uint32_t (*text_id)(shoal_context *c, const char *text);
  uint32_t (*workers)(shoal_context *c);
  void (*jobs)(shoal_context *c, void (*part)(void *data, uint32_t part, uint32_t worker), void *data, uint32_t parts);
  double *(*give_numbers)(shoal_context *c, shoal_value *result, uint32_t count);
  shoal_entity *(*give_entities)(shoal_context *c, shoal_value *result, uint32_t count);
  void (*give_text)(shoal_context *c, shoal_value *result, const char *text);
  void *(*asset)(shoal_context *c, const char *name, size_t *size);
  void (*screen)(shoal_context *c, float *width, float *height);
  void (*draw_space)(shoal_context *c, bool screen);
  void (*draw_layer)(shoal_context *c, int32_t layer);
  void (*draw_colour)(shoal_context *c, float r, float g, float b, float a);
  void (*draw_line)(shoal_context *c, float x1, float y1, float x2, float y2, float width);
  void (*draw_polygon)(shoal_context *c, const float *xy, uint32_t points, bool filled, float width);
  void (*draw_solids)(shoal_context *c, const float *corners, uint32_t triangles);
  void (*draw_text)(shoal_context *c, const char *text, float x, float y, float size);
  const void *(*external)(shoal_context *c, const char *channel, shoal_read_external *read, void *data, size_t room,
                          size_t *size);
  bool (*set_named)(shoal_context *c, shoal_entity e, const shoal_component *component, const char *instance,
                    uint32_t column, double value);
  void (*draw_view)(shoal_context *c, shoal_entity camera);
  bool (*widget)(shoal_context *c, const shoal_widget *w);
  const void *(*service)(shoal_context *c, const char *name, uint32_t version);
} shoal_api;

// What a library says of itself, and the one symbol that it exports: data, so that the host can look before it calls
// anything.
#define SHOAL_EXPORT_MAGIC 0x4c414853u // "SHAL"
#define SHOAL_EXPORT_NAME "shoal_plugin_export"

enum { SHOAL_BUILT_FAST_MATH = 1, SHOAL_BUILT_SHORT_ENUMS = 2, SHOAL_BUILT_BIG_ENDIAN = 4 };

// C++ only: calls call(data), catches what it throws and writes what that says into `what`. False then.
typedef bool shoal_guard(void (*call)(void *data), void *data, char *what, size_t bytes);

#if defined(__cplusplus) && defined(__cpp_exceptions)
static inline bool shoal_guard_cpp(void (*call)(void *data), void *data, char *what, size_t bytes) {
  try {
    call(data);
    return true;
  } catch (const std::exception &e) {
    (void)snprintf(what, bytes, "%s", e.what());
  } catch (...) {
    (void)snprintf(what, bytes, "what it threw is no std::exception");
  }
  return false;
}
#define SHOAL_GUARD_HERE shoal_guard_cpp
#else
#define SHOAL_GUARD_HERE NULL
#endif

typedef struct shoal_export {
  uint32_t magic, export_bytes, api_version, api_bytes;
  uint32_t pointer_bytes, size_bytes, enum_bytes, flags;
  uint32_t plugin_bytes, component_bytes, field_bytes, manager_bytes;
  uint32_t system_bytes, function_bytes, view_bytes, term_bytes, table_bytes, value_bytes;
  const shoal_plugin *plugin;
  const shoal_math **math; // where the host puts its functions
  uint32_t math_bytes;
  shoal_guard *guard; // NULL: it throws nothing
} shoal_export;

#ifdef __FAST_MATH__
#define SHOAL_BUILT_FAST_MATH_HERE SHOAL_BUILT_FAST_MATH
#else
#define SHOAL_BUILT_FAST_MATH_HERE 0
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SHOAL_BUILT_ENDIAN_HERE SHOAL_BUILT_BIG_ENDIAN
#else
#define SHOAL_BUILT_ENDIAN_HERE 0
#endif
#define SHOAL_BUILT_HERE                                                                                               \
  ((uint32_t)(SHOAL_BUILT_FAST_MATH_HERE | SHOAL_BUILT_ENDIAN_HERE |                                                   \
              (sizeof(shoal_kind) < sizeof(int) ? SHOAL_BUILT_SHORT_ENUMS : 0)))

// As this compiler, with these flags, lays things out.
#define SHOAL_EXPORT_HERE(plugin_)                                                                                     \
  {                                                                                                                    \
    SHOAL_EXPORT_MAGIC, (uint32_t)sizeof(shoal_export), SHOAL_API_VERSION, (uint32_t)sizeof(shoal_api),                \
        (uint32_t)sizeof(void *), (uint32_t)sizeof(size_t), (uint32_t)sizeof(shoal_kind), SHOAL_BUILT_HERE,            \
        (uint32_t)sizeof(shoal_plugin), (uint32_t)sizeof(shoal_component), (uint32_t)sizeof(shoal_field),              \
        (uint32_t)sizeof(shoal_manager), (uint32_t)sizeof(shoal_system), (uint32_t)sizeof(shoal_function),             \
        (uint32_t)sizeof(shoal_view), (uint32_t)sizeof(shoal_term), (uint32_t)sizeof(shoal_table),                     \
        (uint32_t)sizeof(shoal_value), plugin_, &shoal_math_here, (uint32_t)sizeof(shoal_math), SHOAL_GUARD_HERE       \
  }

#endif
