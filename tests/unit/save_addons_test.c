// Saves with add-ons: the list in the save, refused loads, and dropped add-ons.
#include "ecs_fixture.h"

#include "base/files.h"
#include "ecs/world_hash.h"
#include "store/save.h"

#include <unistd.h>

typedef struct fixture_t {
  char path[64];
  char *bytes; // bytes of a save whose world has the add-ons score and foes
  size_t size;
  allocator_t memory;
  world_o *w; // a world without add-ons
  unknown_components_o *kept;
  log_o *log;
  char lines[2000];
} fixture_t;

// Ids of the components that declare_addons adds to the fixture's world.
enum { POINTS = NAME + 1, GLOW, TOTAL, BITE };

static void declare_addons(world_o *w) {
  static const field_type_t f32s[] = {FIELD_F32};
  assert_int_equal(DECLARE(w, "score.points", SCHEMA_COMPONENT, f32s, "n"), POINTS);
  assert_int_equal(DECLARE(w, "score.glow", SCHEMA_COMPONENT, f32s, "n"), GLOW);
  assert_int_equal(DECLARE(w, "score.total", SCHEMA_SINGLE, f32s, "n"), TOTAL);
  assert_int_equal(DECLARE(w, "foes.bite", SCHEMA_COMPONENT, f32s, "n"), BITE);
}

static void add_line(void *context, log_level_t level, const char *text) {
  fixture_t *f = context;
  (void)level;
  size_t used = strlen(f->lines);
  snprintf(f->lines + used, sizeof f->lines - used, "%s\n", text);
}

// Saves two entities of score.board, and one entity of the game with components of both add-ons.
static void write_bytes(fixture_t *f) {
  error_info_t error = {0};
  world_o *w = make_world();
  unknown_components_o *kept = unknown_components_create();
  addon_list_t list = {0};
  declare_addons(w);
  assert_true(addon_list_add(&list, "foes", "1.0") && addon_list_add(&list, "score", "1.2.0"));
  unknown_components_set_addons(kept, &list);
  uint32_t board = world_assemblage_declare(w, id_of(w, "score.board"));
  for (int i = 0; i < 2; ++i) {
    shoal_entity e = world_spawn(w, board, NULL);
    add(w, e, POINTS, 0);
    add(w, e, HEALTH, 0);
  }
  shoal_entity own = SPAWN(w, POINTS, BITE, HEALTH);
  set(w, own, HEALTH, 0, 7);
  set(w, own, POINTS, 0, 5);
  if (!save_write(w, "test", f->path, kept, &error))
    fail_msg("%s", error.text);
  unknown_components_destroy(kept);
  world_destroy(w);
  f->bytes = file_read(&f->memory, f->path, &f->size, &error);
  assert_non_null(f->bytes);
}

SETUP(fixture_t, f) {
  strcpy(f->path, "/tmp/shoal_addons_XXXXXX");
  int file = mkstemp(f->path);
  assert_true(file >= 0);
  close(file);
  write_bytes(f);
  f->log = log_create(LOG_INFO);
  log_set_listener(f->log, add_line, f);
  log_set_terminal(f->log, false);
  f->w = world_create(&(world_desc_t){.seed = 7, .log = f->log});
  DECLARE(f->w, "health", SCHEMA_COMPONENT, (const field_type_t[]){FIELD_I32}, "hp");
  f->kept = unknown_components_create();
}

TEARDOWN(fixture_t, f) {
  file_free(&f->memory, f->bytes, f->size);
  unknown_components_destroy(f->kept);
  world_destroy(f->w);
  log_destroy(f->log);
  assert_int_equal(remove(f->path), 0);
}

static bool load_save(fixture_t *f, const addon_list_t *drop, bool drops_missing, error_info_t *error) {
  save_bytes_t save = {
      .name = "a save", .bytes = f->bytes, .size = f->size, .drop_addons = drop, .drops_missing_addons = drops_missing};
  return save_read_bytes(f->w, "test", &save, f->kept, error);
}

static addon_list_t make_list(const char *first, const char *second) {
  addon_list_t list = {0};
  assert_true(addon_list_add(&list, first, "1.0") && (!second || addon_list_add(&list, second, "1.0")));
  return list;
}

TEST_IN(save_with_parts_of_missing_addons_is_rejected_with_a_list_of_them, fixture_t, f) {
  error_info_t error = {0};
  uint64_t before = world_hash(f->w);
  assert_false(load_save(f, NULL, false, &error));
  assert_string_equal(
      error.text,
      "a save contains parts of add-ons that this game does not use: foes 1.0 (components: foes.bite), score "
      "1.2.0 (2 entities; components: score.points; singletons: score.total): add them to addons in "
      "game.lua, or pass --drop-addon foes --drop-addon score to load the save without these parts");
  assert_true(world_hash(f->w) == before);
  addon_list_t drop = make_list("score", NULL);
  assert_false(load_save(f, &drop, false, &error));
  assert_non_null(strstr(error.text, "contains parts of an add-on that this game does not use: foes 1.0 (components"));
  assert_true(world_hash(f->w) == before);
}

TEST_IN(dropped_addons_lose_their_entities_and_components, fixture_t, f) {
  error_info_t error = {0};
  addon_list_t drop = make_list("foes", "score");
  if (!load_save(f, &drop, false, &error))
    fail_msg("%s", error.text);
  assert_int_equal(world_entities(f->w)->alive_count, 1);
  assert_true(get(f->w, 3, 1, 0) == 7);
  assert_non_null(strstr(f->lines, "dropped the add-on foes 1.0: components: foes.bite\n"));
  assert_non_null(strstr(f->lines, "dropped the add-on score 1.2.0: 2 entities; components: score.points"));
  // Nothing is kept for later saves, unlike components that the game itself no longer declares.
  assert_true(save_write(f->w, "test", f->path, f->kept, &error));
  world_o *later = make_world();
  declare_addons(later);
  if (!save_read(later, "test", f->path, NULL, &error))
    fail_msg("%s", error.text);
  assert_int_equal(world_manager(later, POINTS)->count, 0);
  assert_int_equal(world_manager(later, HEALTH)->count, 1);
  world_destroy(later);
}

TEST_IN(replays_drop_all_missing_addons, fixture_t, f) {
  error_info_t error = {0};
  if (!load_save(f, NULL, true, &error))
    fail_msg("%s", error.text);
  assert_int_equal(world_entities(f->w)->alive_count, 1);
}

TEST_IN(components_that_a_used_addon_no_longer_declares_are_kept, fixture_t, f) {
  error_info_t error = {0};
  addon_list_t used = make_list("foes", "score");
  unknown_components_set_addons(f->kept, &used);
  if (!load_save(f, NULL, false, &error))
    fail_msg("%s", error.text);
  assert_int_equal(world_entities(f->w)->alive_count, 3);
  assert_non_null(strstr(f->lines, "3 rows of score.points, which this game does not declare"));
}

TEST_IN(dropping_unknown_or_used_addons_logs_a_warning, fixture_t, f) {
  error_info_t error = {0};
  addon_list_t used = make_list("foes", "score"), drop = make_list("scroe", "foes");
  unknown_components_set_addons(f->kept, &used);
  assert_true(load_save(f, &drop, false, &error));
  assert_non_null(strstr(f->lines, "--drop-addon scroe: a save has no add-on of this name: did you mean score?"));
  assert_non_null(
      strstr(f->lines, "--drop-addon foes: the game uses this add-on: remove the add-on from addons in game.lua"));
  assert_int_equal(world_entities(f->w)->alive_count, 3);
}

TEST(addon_list_finds_the_owner_of_a_name_by_its_prefix) {
  addon_list_t list = make_list("score", "sco");
  assert_string_equal(addon_list_find_owner(&list, "sco.re")->name, "sco");
  assert_string_equal(addon_list_find_owner(&list, "score.sco.n")->name, "score");
  assert_null(addon_list_find_owner(&list, "score"));
  assert_null(addon_list_find_owner(&list, "scores.n"));
  char name[80];
  memset(name, 'n', sizeof name);
  name[64] = '\0';
  assert_false(addon_list_add(&list, name, "1.0"));
  while (list.count < ADDON_LIST_MAX)
    assert_true(addon_list_add(&list, "n", "1.0"));
  assert_false(addon_list_add(&list, "n", "1.0"));
}
