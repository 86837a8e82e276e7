// Attaches content to a world, and frees it with the world.
#include "content/content.h"

#include "content/assemblage_merge.h"
#include "content/content_internal.h"
#include "content/definitions.h"
#include "content/state_definitions.h"

static void destroy_content(world_o *w) {
  content_o *content = content_get(w);
  allocator_t *a = &w->allocator;
  former_names_clear(w);
  array_free(a, &content->former_names);
  array_free(a, &content->parked);
  array_free(a, &content->parked_drawing);
  redefine_clear(w);
  array_free(a, &content->redefined);
  array_free(a, &content->declared_text);
  array_free(a, &content->requested_text);
  w->content = NULL;
  alloc_resize(a, content, sizeof *content, 0);
}

static void on_commands_applied(world_o *w) {
  if (content_get(w)->updates_entities)
    definitions_update_entities(w);
}

static bool has_pending_definitions(const world_o *w) {
  return content_read(w)->redefined.count > 0;
}

static void cancel_restore(world_o *w) {
  definitions_ensure_declared(w, definitions_list(w));
}

static void finish_restore(world_o *w, bool derive_marks) {
  former_names_update_entities(w);
  former_names_update_retained(w);
  redefine_clean_up(w);
  if (derive_marks)
    assemblage_merge_derive_marks(w, w);
}

void content_attach(world_o *w) {
  if (w->content)
    return;
  content_o *content = alloc_resize(&w->allocator, NULL, 0, sizeof *content);
  *content = (content_o){.world = {.destroy = destroy_content,
                                   .drop_deeper = redefine_drop_deeper,
                                   .move_to_outer = redefine_move_to_outer,
                                   .commands_applied = on_commands_applied,
                                   .has_pending_definitions = has_pending_definitions,
                                   .find_assemblage = redefine_find_assemblage,
                                   .find_current_name = former_names_find_text,
                                   .has_declared = state_definitions_are_declared,
                                   .begin_restore = state_definitions_declare,
                                   .cancel_restore = cancel_restore,
                                   .finish_restore = finish_restore}};
  w->content = &content->world;
}
