// The binary interface between the host and plugin libraries: the table of function pointers in each context, through
// which plugins call the host without linking to it, and the symbol that a library exports. Plugins do not use the
// table directly: the functions of the public headers call the functions in the table. Part of the public plugin
// headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_API_H
#define SHOAL_API_H

#include "shoal/functions.h"
#include "shoal/math.h"
#include "shoal/types.h"

#if defined(__cplusplus) && defined(__cpp_exceptions)
#include <exception>
#include <stdlib.h>
#include <string>
#ifdef __has_include
#if __has_include(<cxxabi.h>) && defined(__GXX_RTTI)
#include <cxxabi.h>
#include <typeinfo>
#define SHOAL_HAS_CXXABI 1
#endif
#endif
#include <stdio.h>
#endif

// Version of the binary interface. Every change that breaks built plugins increments it, and a host loads only plugins
// that were built with its own version. Functions appended to the table do not change the version, so older libraries
// still load.
#define SHOAL_API_VERSION 11u

typedef enum shoal_log_level { SHOAL_LOG_ERROR = 1, SHOAL_LOG_WARN, SHOAL_LOG_INFO, SHOAL_LOG_DEBUG } shoal_log_level;

// Reads external input for shoal_read_external. Writes at most `capacity` bytes to `bytes` and returns the number of
// bytes written, which is 0 if no input is available.
typedef size_t shoal_external_read_fn(void *data, void *bytes, size_t capacity);

// Types that are defined in other headers.
typedef struct shoal_job shoal_job;
typedef struct shoal_draw_state shoal_draw_state;
typedef struct shoal_mouse_state shoal_mouse_state;
typedef struct shoal_ray_hit shoal_ray_hit;
typedef struct shoal_shader_desc shoal_shader_desc;
typedef struct shoal_sound_desc shoal_sound_desc;
typedef struct shoal_sprite_desc shoal_sprite_desc;
typedef struct shoal_texture_desc shoal_texture_desc;
typedef struct shoal_vertex shoal_vertex;
typedef struct shoal_text_desc shoal_text_desc;
typedef uint32_t shoal_texture;         // a texture of the plugin; 0: no texture
typedef uint32_t shoal_shader;          // a shader of the plugin; 0: no shader
typedef uint64_t shoal_function_handle; // a function of a different plugin; 0: no function

// The table of the functions that a plugin can call, generated from SHOAL_HOST_FUNCTIONS.
typedef struct shoal_api {
  uint32_t size, version;
#define SHOAL_API_MEMBER(name_, result_, fallback_, where_, parameters_, ...) result_(*name_) parameters_;
  SHOAL_HOST_FUNCTIONS(SHOAL_API_MEMBER)
#undef SHOAL_API_MEMBER
} shoal_api;

// The only symbol that a library exports: data that the host can check before it calls code of the plugin.
#define SHOAL_EXPORT_MAGIC 0x4c414853u // "SHAL"
#define SHOAL_EXPORT_NAME "shoal_plugin_export"

enum { SHOAL_BUILD_FAST_MATH = 1, SHOAL_BUILD_SHORT_ENUMS = 2, SHOAL_BUILD_BIG_ENDIAN = 4 };

// Calls call(data) and returns true. If the call throws a C++ exception, writes the text of the exception to `what`, a
// buffer of `bytes` bytes, and returns false.
typedef bool shoal_exception_guard_fn(void (*call)(void *data), void *data, char *what, size_t bytes);

#if defined(__cplusplus) && defined(__cpp_exceptions)
// Writes a phrase about the type of the exception that is being handled, such as "its type is int, not a
// std::exception", to `what`, a buffer of `bytes` bytes.
static inline void shoal_name_exception(char *what, size_t bytes) {
#ifdef SHOAL_HAS_CXXABI
  const std::type_info *type = abi::__cxa_current_exception_type();
  int status = 1;
  char *name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr;
  (void)snprintf(what, bytes, "its type is %s, not a std::exception",
                 name && status == 0 ? name
                 : type              ? type->name()
                                     : "unknown");
  free(name);
#else
  (void)snprintf(what, bytes, "it is not a std::exception");
#endif
}

static inline bool shoal_exception_guard(void (*call)(void *data), void *data, char *what, size_t bytes) {
  try {
    call(data);
    return true;
  } catch (const std::exception &e) {
    (void)snprintf(what, bytes, "%s", e.what());
  } catch (const std::string &text) {
    (void)snprintf(what, bytes, "%s", text.c_str());
  } catch (const char *text) {
    (void)snprintf(what, bytes, "%s", text ? text : "NULL");
  } catch (...) {
    shoal_name_exception(what, bytes);
  }
  return false;
}
#define SHOAL_EXCEPTION_GUARD shoal_exception_guard
#else
#define SHOAL_EXCEPTION_GUARD NULL
#endif

typedef struct shoal_export {
  uint32_t magic, export_bytes, api_version, api_bytes;
  uint32_t pointer_bytes, size_bytes, enum_bytes, flags;
  uint32_t plugin_bytes, component_bytes, field_bytes, manager_bytes;
  uint32_t system_bytes, function_bytes, view_bytes, term_bytes, table_bytes, value_bytes;
  const shoal_plugin *plugin;
  const shoal_math **math; // receives the address of the host's functions
  uint32_t math_bytes;
  shoal_exception_guard_fn *guard; // calls a function and catches its exceptions; NULL in C and without exceptions
} shoal_export;

#ifdef __FAST_MATH__
#define SHOAL_BUILD_FAST_MATH_FLAG SHOAL_BUILD_FAST_MATH
#else
#define SHOAL_BUILD_FAST_MATH_FLAG 0
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SHOAL_BUILD_ENDIAN_FLAG SHOAL_BUILD_BIG_ENDIAN
#else
#define SHOAL_BUILD_ENDIAN_FLAG 0
#endif
#define SHOAL_BUILD_FLAGS                                                                                              \
  ((uint32_t)(SHOAL_BUILD_FAST_MATH_FLAG | SHOAL_BUILD_ENDIAN_FLAG |                                                   \
              (sizeof(shoal_component_kind) < sizeof(int) ? SHOAL_BUILD_SHORT_ENUMS : 0)))

// Describes the struct layout that this compiler produces with its current flags, so that the host can reject a library
// with a different layout.
#define SHOAL_EXPORT_INIT(plugin_)                                                                                     \
  {                                                                                                                    \
    SHOAL_EXPORT_MAGIC, (uint32_t)sizeof(shoal_export), SHOAL_API_VERSION, (uint32_t)sizeof(shoal_api),                \
        (uint32_t)sizeof(void *), (uint32_t)sizeof(size_t), (uint32_t)sizeof(shoal_component_kind), SHOAL_BUILD_FLAGS, \
        (uint32_t)sizeof(shoal_plugin), (uint32_t)sizeof(shoal_component), (uint32_t)sizeof(shoal_field),              \
        (uint32_t)sizeof(shoal_manager), (uint32_t)sizeof(shoal_system), (uint32_t)sizeof(shoal_function),             \
        (uint32_t)sizeof(shoal_view), (uint32_t)sizeof(shoal_term), (uint32_t)sizeof(shoal_rows),                      \
        (uint32_t)sizeof(shoal_value), plugin_, &shoal_math_functions, (uint32_t)sizeof(shoal_math),                   \
        SHOAL_EXCEPTION_GUARD                                                                                          \
  }

#endif
