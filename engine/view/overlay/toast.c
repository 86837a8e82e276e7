// The queue of toasts and their ages.
#include "overlay/toast.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void toast_add(toasts_t *toasts, toast_kind_t kind, const char *format, ...) {
  shoal_assert(kind != TOAST_NONE, "the kind of a toast must be set");
  if (toasts->count == TOAST_MAX_COUNT) {
    memmove(toasts->items, toasts->items + 1, (TOAST_MAX_COUNT - 1) * sizeof *toasts->items);
    toasts->count--;
  }
  toast_t *toast = &toasts->items[toasts->count++];
  *toast = (toast_t){.kind = kind};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(toast->text, sizeof toast->text, format, arguments);
  va_end(arguments);
}

void toast_remove_kind(toasts_t *toasts, toast_kind_t kind) {
  uint32_t remaining_count = 0;
  for (uint32_t i = 0; i < toasts->count; ++i)
    if (toasts->items[i].kind != kind)
      toasts->items[remaining_count++] = toasts->items[i];
  toasts->count = remaining_count;
}

void toast_advance(toasts_t *toasts, float seconds) {
  shoal_assert(seconds >= 0, "negative time step of %g s", (double)seconds);
  uint32_t remaining_count = 0;
  for (uint32_t i = 0; i < toasts->count; ++i) {
    toasts->items[i].age_s += seconds;
    if (toasts->items[i].age_s < TOAST_DURATION_S)
      toasts->items[remaining_count++] = toasts->items[i];
  }
  toasts->count = remaining_count;
}
