// The queue of toasts and their ages.
#include "overlay/toast.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void toast_add(toasts_t *t, toast_kind_t kind, const char *format, ...) {
  shoal_assert(kind != TOAST_NONE, "the kind of a toast must be set");
  if (t->count == TOAST_MAX) {
    memmove(t->items, t->items + 1, (TOAST_MAX - 1) * sizeof *t->items);
    t->count--;
  }
  toast_t *toast = &t->items[t->count++];
  *toast = (toast_t){.kind = kind};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(toast->text, sizeof toast->text, format, arguments);
  va_end(arguments);
}

void toast_advance(toasts_t *t, float seconds) {
  shoal_assert(seconds >= 0, "negative time step of %g s", (double)seconds);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->count; ++i) {
    t->items[i].age_s += seconds;
    if (t->items[i].age_s < TOAST_S)
      t->items[kept++] = t->items[i];
  }
  t->count = kept;
}
