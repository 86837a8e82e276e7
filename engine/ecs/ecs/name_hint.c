// Suggests the new name of a renamed component or field, or the nearest existing name.
#include "ecs/name_hint.h"

#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

// Offers a name as a suggestion, unless it is an internal name of the engine, such as "shoal.scene" or "kept:gun".
static void offer_public_name(nearest_name_t *s, const char *name) {
  if (strncmp(name, "shoal.", 6) != 0 && !strchr(name, ':'))
    nearest_name_offer(s, name);
}

static const char *hint_renamed_component(world_o *w, const char *name, char *out) {
  out[0] = '\0';
  for (uint32_t i = 1; i <= world_manager_count(w); ++i) {
    size_t length = strlen(out);
    if (world_is_component_renamed_to(w, name, i))
      snprintf(out + length, HINT_BYTES - length, "%s%s", length ? " and " : ": renamed to ",
               world_manager(w, i)->schema.name);
  }
  return out;
}

const char *hint_component(world_o *w, const char *name, char *out) {
  nearest_name_t nearest;
  if (world_is_component_renamed_to(w, name, 0))
    return hint_renamed_component(w, name, out);
  nearest_name_init(&nearest, name);
  for (uint32_t i = 1; i <= world_manager_count(w); ++i)
    offer_public_name(&nearest, world_manager(w, i)->schema.name);
  return nearest_name_hint(&nearest, out, HINT_BYTES);
}

const char *hint_event(world_o *w, const char *name, char *out) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 1; i <= world_event_count(w); ++i)
    offer_public_name(&nearest, world_event(w, i)->schema.name);
  return nearest_name_hint(&nearest, out, HINT_BYTES);
}

const char *hint_field(const schema_t *s, const char *name, char *out) {
  char field[FIELD_NAME_MAX];
  nearest_name_t nearest;
  int32_t renamed = schema_find_renamed_field(s, name);
  if (renamed >= 0) {
    snprintf(out, HINT_BYTES, ": renamed to %s", s->fields[renamed].name);
    return out;
  }
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < s->field_count; ++i) {
    snprintf(field, sizeof field, "%s", s->fields[i].name);
    field[field_base_bytes(&s->fields[i])] = '\0';
    if (!(s->fields[i].flags & FIELD_HIDDEN))
      nearest_name_offer(&nearest, field);
  }
  return nearest_name_hint(&nearest, out, HINT_BYTES);
}

const char *hint_choice(const field_t *f, const char *name, char *out) {
  nearest_name_t nearest;
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < f->choice_count; ++i)
    nearest_name_offer(&nearest, field_choice(f, i));
  return nearest_name_hint(&nearest, out, HINT_BYTES);
}

const char *hint_assemblage(world_o *w, const char *name, char *out) {
  nearest_name_t nearest;
  const char *current = w->content ? w->content->find_current_name(w, name) : NULL;
  if (current) {
    snprintf(out, HINT_BYTES, ": renamed to %.64s", current);
    return out;
  }
  nearest_name_init(&nearest, name);
  for (uint32_t i = 0; i < w->assemblages.count; ++i)
    if (w->assemblages.items[i].retired_version == 0)
      nearest_name_offer(&nearest, strings_text(world_strings(w), w->assemblages.items[i].name));
  return nearest_name_hint(&nearest, out, HINT_BYTES);
}
