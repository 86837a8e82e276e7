// Fuzzer for scenes in JSON.
static const char *const reader_words[] = {"\"parent\": \"tank#1\"",
                                           "\"things\": null",
                                           "\"gun\": { \"left\": null },",
                                           "null",
                                           "{}",
                                           "[1, 2, 3]",
                                           "1e400",
                                           "-1",
                                           "\"\\u0000\"",
                                           "\"id\": \"a\",",
                                           "\"state\": \"dying\",",
                                           "true",
                                           "\"name\": \"a\",",
                                           "{",
                                           "\"children\": { \"turret\": null },",
                                           "\"assemblage\": \"rock\",",
                                           "\xff",
                                           "\"a\": 1",
                                           0};
#include "reader.h"

#include "store/scene.h"

static reader_world_t *r;

static void reader_setup(void) {
  static const char by_hand[] =
      "{ \"entities\": [ { \"assemblage\": \"tank\", \"name\": \"a\", \"children\": { \"turret\": { \"id\": "
      "\"t\" } } }, { \"assemblage\": \"rock\", \"parent\": \"t\", \"components\": { \"gun\": { \"\": { "
      "\"a\": 1 } }, \"things\": { \"target\": \"a\" } } } ] }";
  shoal_entity all[64];
  uint32_t count = 0;
  size_t bytes;
  error_info_t error = {0};
  r = reader_world(12);
  const entities_t *s = world_entities(r->world);
  for (uint32_t i = 1; i < s->used && count < 64; ++i)
    if (s->alive[i])
      all[count++] = i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS;
  char *text = scene_write(r->world, all, count, &r->memory, &bytes, &error);
  if (!text)
    reader_fail("%s", error.text);
  reader_seed(text, bytes);
  reader_seed(by_hand, sizeof by_hand - 1);
  alloc_resize(&r->memory, text, bytes + 1, 0);
}

static void ignore_line(void *context, const char *line) {
  (void)context, (void)line;
}

// Applies the difference between the previous text and this text, as if a scene had been edited.
static void apply_scene_edit(const char *text, size_t bytes) {
  static char before[1 << 16];
  static size_t before_bytes;
  scene_update_t f = {.file = "scenes/a.json", .scene = "a", .listener = {.log_line = ignore_line}};
  f.old_version = (scene_desc_t){.text = before, .text_bytes = before_bytes, .ignored = "author\nnote\n"};
  f.new_version = (scene_desc_t){.text = text, .text_bytes = bytes, .ignored = "author\nnote\n"};
  if (before_bytes > 0)
    scene_update(r->world, &f, &r->memory);
  before_bytes = bytes <= sizeof before ? bytes : 0;
  memcpy(before, text, before_bytes);
}

static bool reader_try(const uint8_t *data, size_t size) {
  scene_desc_t ask = {.text = (const char *)data, .text_bytes = size, .ignored = "author\nnote\n"};
  scene_spawned_t made = {0};
  scene_fault_t fault;
  bool good = scene_read(r->world, &ask, &r->memory, NULL, &fault);
  reader_check_unchanged(r);
  bool taken = scene_read(r->world, &ask, &r->memory, &made, &fault);
  if (good != taken)
    reader_fail("the check returned %d, but reading returned %d: %s", good, taken, fault.error.text);
  scene_spawned_fini(&made, &r->memory);
  if (taken)
    apply_scene_edit(ask.text, size);
  if (taken)
    reader_check_runs(r);
  else
    reader_check_unchanged(r);
  return taken;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data, (void)room;
  return size;
}

static void reader_teardown(void) {
  reader_world_free(r);
}
