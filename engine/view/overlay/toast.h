// Toasts: short messages at the right edge, in the corner without the hero, that disappear after a few seconds. Plain
// data; overlay.c draws them.
#ifndef SHOAL_OVERLAY_TOAST_H
#define SHOAL_OVERLAY_TOAST_H

#include <stdint.h>

#define TOAST_MAX_COUNT 4
#define TOAST_DURATION_S 2.6f // seconds for which a toast is visible, including the animation
#define TOAST_FADE_S 0.5f

typedef enum toast_kind_t {
  TOAST_NONE,
  TOAST_GOOD,
  TOAST_PLAIN,
  TOAST_BAD,
  TOAST_RELOAD // result of a reload; looks like TOAST_GOOD
} toast_kind_t;

typedef struct toast_t {
  toast_kind_t kind;
  char text[192];
  float age_s;
} toast_t;

// Valid when zeroed. The newest toast is last and is drawn next to the edge.
typedef struct toasts_t {
  toast_t items[TOAST_MAX_COUNT];
  uint32_t count;
} toasts_t;

// Adds a toast; if the queue is full, drops the oldest toast.
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
void toast_add(toasts_t *toasts, toast_kind_t kind, const char *format, ...);
void toast_remove_kind(toasts_t *toasts, toast_kind_t kind); // removes all toasts of a kind
// Ages all toasts and removes expired toasts.
void toast_advance(toasts_t *toasts, float seconds);

#endif
