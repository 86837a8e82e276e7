// Reads the accessibility settings from the singleton `settings`.
#include "components/access.h"

#include <math.h>
#include <string.h>

// Returns the value of a setting, or `fallback` if the game has no such setting of this type, or if its value is NaN.
static double read_setting(const manager_o *settings, const char *name, field_type_t type, double fallback) {
  int32_t column = settings && settings->count > 0 ? manager_find_column(settings, name) : -1;
  if (column < 0 || settings->schema.fields[column].type != type)
    return fallback;
  double value = columns_get(&settings->columns, 0, (uint32_t)column);
  return value == value ? value : fallback;
}

static float read_strength(const manager_o *settings, const char *name) {
  return (float)fmin(fmax(read_setting(settings, name, FIELD_F32, 1), 0), 1);
}

access_t access_read(const world_o *w) {
  static const float TEXT_SCALES[] = {1, 1.2f, 1.35f}; // scales for the choices of the setting `text_size`
  const manager_o *settings = w ? world_find_manager((world_o *)w, "settings") : NULL;
  double text_size = read_setting(settings, "text_size", FIELD_ENUM, 0),
         colours = read_setting(settings, "colours", FIELD_ENUM, 0);
  access_t out = {.flashes = read_strength(settings, "flashes"),
                  .reduced_motion = read_setting(settings, "reduced_motion", FIELD_BOOL, 0) != 0,
                  .mono = read_setting(settings, "mono", FIELD_BOOL, 0) != 0,
                  .press_to_hold = read_setting(settings, "press_to_hold", FIELD_BOOL, 0) != 0};
  out.shake = out.reduced_motion ? 0 : read_strength(settings, "shake");
  out.text_scale = TEXT_SCALES[text_size <= 2 ? (uint32_t)text_size : 0];
  out.colours = colours <= ACCESS_TRITANOPIA ? (access_colours_t)colours : ACCESS_COLOURS_PLAIN;
  return out;
}
