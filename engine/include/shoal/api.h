// What a plugin can ask of the host: one table of function pointers behind every context, so that nothing is linked.
// Plugins call the functions of <shoal/plugin.h> and of the headers by subject, which say what each of them does. Part
// of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_API_H
#define SHOAL_API_H

#include "shoal/functions.h"
#include "shoal/math.h"
#include "shoal/types.h"

#if defined(__cplusplus) && defined(__cpp_exceptions)
#include <exception>
#include <stdio.h>
#endif

// Changes with everything in these headers that a built plugin would get wrong. A host loads its own version only.
// New functions are appended to the table without a new version, so that libraries built before them still load.
#define SHOAL_API_VERSION 6u

typedef enum shoal_level { SHOAL_LOG_ERROR = 1, SHOAL_LOG_WARN, SHOAL_LOG_INFO, SHOAL_LOG_DEBUG } shoal_level;

// Writes what has come from outside to `bytes` (`room` long) and returns how many bytes that is, 0 for nothing.
typedef size_t shoal_read_external(void *data, void *bytes, size_t room);

// Types of the headers by subject.
typedef struct shoal_job shoal_job;
typedef struct shoal_look shoal_look;
typedef struct shoal_mouse shoal_mouse;
typedef struct shoal_shader_desc shoal_shader_desc;
typedef struct shoal_sound shoal_sound;
typedef struct shoal_sprite_desc shoal_sprite_desc;
typedef struct shoal_texture_desc shoal_texture_desc;
typedef struct shoal_vertex shoal_vertex;
typedef struct shoal_words shoal_words;
typedef uint32_t shoal_texture; // 0: no texture
typedef uint32_t shoal_shader;  // 0: no shader
typedef uint64_t shoal_callee;  // a function of another plugin; 0 is none

// The table behind every context, generated from the list of functions.
typedef struct shoal_api {
  uint32_t size, version;
#define SHOAL_API_MEMBER(name_, result_, otherwise_, where_, parameters_, ...) result_(*name_) parameters_;
  SHOAL_HOST_FUNCTIONS(SHOAL_API_MEMBER)
#undef SHOAL_API_MEMBER
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
