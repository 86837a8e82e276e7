// Bounds checks for rows. In a plugin that is built with -DSHOAL_DEBUG (as `make sanitize` of a new plugin does),
// SHOAL_AT reports out-of-range rows. The access then uses a dummy element, and the call fails with a message that
// names column, row, count, file and line. A system that fails is parked. In other builds, SHOAL_AT(v, value, i) is
// value[i].
//
//   float *value = SHOAL_COLUMN(v, heat, value);
//   for (uint32_t i = 0; i < v->count; ++i)
//     SHOAL_AT(v, value, i) += dt_s;
//
// Part of the public plugin headers: C11, usable from C++. Include <shoal/plugin.h>.
#ifndef SHOAL_CHECK_H
#define SHOAL_CHECK_H

#include "shoal/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_row_error {
  const char *component; // name of the component; NULL if the view does not contain the column
  const char *column;    // column expression, as written in the source
  const char *file;
  int line;
  uint32_t row, count;
} shoal_row_error;

typedef void shoal_row_error_fn(const shoal_row_error *error);

#ifdef SHOAL_DEBUG
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern shoal_row_error_fn *shoal_row_error_handler; // handler of row errors: defined by SHOAL_PLUGIN, set by the host
#endif

#ifdef __cplusplus
}
#endif

#ifdef SHOAL_DEBUG
static inline const char *shoal_find_column_component(const shoal_view *v, const void *column) {
  for (uint32_t i = 0; column && i < v->term_count; ++i)
    for (uint32_t k = 0; v->terms[i].component && v->terms[i].columns && k < v->terms[i].component->column_count; ++k)
      if (v->terms[i].columns[k] == column)
        return v->terms[i].component->name;
  return NULL;
}

#ifdef __GNUC__
#define SHOAL_THREAD_LOCAL __thread
#elif defined(__cplusplus)
#define SHOAL_THREAD_LOCAL thread_local
#else
#define SHOAL_THREAD_LOCAL _Thread_local
#endif

// Returns the address of an element, or of a dummy element if the row does not exist. Each thread has its own dummy
// element, because parts of a parallel system run at the same time.
static inline void *shoal_check_row(const shoal_view *v, const void *column, size_t bytes, uint32_t row,
                                    const char *name, const char *file, int line) {
  static SHOAL_THREAD_LOCAL double dummy[16];
  if (column && row < v->count)
    return (char *)(uintptr_t)column + bytes * row;
  shoal_row_error error = {shoal_find_column_component(v, column), name, file, line, row, column ? v->count : 0};
  if (shoal_row_error_handler)
    shoal_row_error_handler(&error);
  for (int i = 0; i < 16; ++i)
    dummy[i] = 0;
  return dummy;
}
#define SHOAL_AT(view_, column_, row_)                                                                                 \
  (*(__typeof__(&(column_)[0]))shoal_check_row(view_, column_, sizeof *(column_), row_, #column_, __FILE__, __LINE__))
#define SHOAL_DEFINE_CHECKS shoal_row_error_fn *shoal_row_error_handler = NULL;
#else
#define SHOAL_AT(view_, column_, row_) ((column_)[row_])
#define SHOAL_DEFINE_CHECKS
#endif

#endif
