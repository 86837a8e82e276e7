// Fuzzer for the blocks of the data plugin. It must be possible to read an accepted block completely, to write to it
// and to save it.
static const char *const reader_words[] = {"inventory.gold", "a.b", 0};
#include "reader.h"

#include "plugins/data/data_block.h"

static void reader_setup(void) {
  data_block_t *b = NULL;
  const double numbers[] = {1, 2, 3};
  data_set(&b, "inventory.gold", &(data_value_t){.type = DATA_NUMBER, .number = 7});
  data_set(&b, "inventory.name", &(data_value_t){.type = DATA_TEXT, .bytes = "a long sword", .size = 12});
  data_set(&b, "target", &(data_value_t){.type = DATA_ENTITY, .entity = 5});
  data_set(&b, "open", &(data_value_t){.type = DATA_BOOL, .number = 1});
  data_set(&b, "path", &(data_value_t){.type = DATA_NUMBERS, .bytes = numbers, .size = sizeof numbers});
  uint32_t size = data_save_bytes(b);
  uint8_t *bytes = malloc(size);
  data_save(b, bytes);
  reader_seed(bytes, size);
  free(bytes);
  data_free(b);
}

static void read_values(const data_block_t *b) {
  volatile uint8_t sum = 0;
  data_value_t v, again;
  for (uint32_t i = 0; i < data_count(b); ++i) {
    const char *path = data_path(b, i, &v);
    if (strlen(path) > DATA_MAX_PATH)
      reader_fail("a path of %zu bytes", strlen(path));
    if (!data_get(b, path, &again))
      reader_fail("the path %s is listed but not found", path);
    for (uint32_t k = 0; (v.type == DATA_TEXT || v.type == DATA_NUMBERS) && k < v.size; ++k)
      sum = (uint8_t)(sum + ((const uint8_t *)v.bytes)[k]);
  }
}

static bool reader_try(const uint8_t *data, size_t size) {
  data_block_t *b = NULL, *copy = NULL;
  if (size > UINT32_MAX || !data_load(&b, data, (uint32_t)size)) {
    if (b)
      reader_fail("a refused input left a block");
    return false;
  }
  read_values(b);
  data_set(&b, "more", &(data_value_t){.type = DATA_TEXT, .bytes = "some words", .size = 10});
  data_remove(&b, "inventory");
  read_values(b);
  uint32_t bytes = data_save_bytes(b);
  uint8_t *out = malloc(bytes ? bytes : 1);
  data_save(b, out);
  if (!data_load(&copy, out, bytes))
    reader_fail("its own output is refused");
  read_values(copy);
  free(out);
  data_free(copy);
  data_free(b);
  return true;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)data, (void)room;
  return size;
}

static void reader_teardown(void) {
}
