// A plugin with external input: in every tick it reads the file $WIRE, which simulates a device, and hashes its bytes.
// The callback appends a dot to $WIRE.asked each time it runs, so that tests can check that a replay does not call it.
#include <shoal/plugin.h>

#include <stdlib.h>

#define WIRE_FIELDS(F) F(i32, ticks, 0) F(i32, bytes, 0) F(u32, sum, 0)
SHOAL_SINGLE(wire, WIRE_FIELDS)

static size_t take(void *data, void *bytes, size_t room) {
  const char *path = getenv("WIRE");
  char asked[512];
  size_t size = 0;
  (void)data;
  if (!path)
    return 0;
  (void)snprintf(asked, sizeof asked, "%s.asked", path);
  FILE *log = fopen(asked, "a"), *from = fopen(path, "rb");
  if (log) {
    (void)fputc('.', log);
    (void)fclose(log);
  }
  if (from) {
    size = fread(bytes, 1, room, from);
    (void)fclose(from);
  }
  return size;
}

static void hear(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_rows t = shoal_get_rows(shoal_get_world(c), &wire_component);
  const wire_columns *out = SHOAL_ROWS_COLUMNS(t, wire);
  (void)v, (void)dt_s;
  for (int call = 0; call < 2; ++call) { // each call is a separate request
    size_t size = 0;
    const unsigned char *bytes = (const unsigned char *)shoal_read_external(c, "line", take, NULL, 64, &size);
    out->bytes[0] += (int32_t)size;
    for (size_t i = 0; i < size; ++i)
      out->sum[0] = out->sum[0] * 31 + bytes[i];
  }
  out->ticks[0] += 1;
}

static size_t too_much(void *data, void *bytes, size_t room) {
  (void)data, (void)bytes;
  return room + 1;
}

// Returns the number of bytes received from a callback that claims to have written more bytes than the buffer holds.
static void lie(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  size_t size = 0;
  (void)arguments;
  (void)shoal_read_external(c, "lies", too_much, NULL, 8, &size);
  results[0].number = (double)size;
}

static void pure(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  size_t size = 0;
  (void)arguments;
  (void)shoal_read_external(c, "pure", take, NULL, 8, &size);
  results[0].number = (double)size;
}

SHOAL_PLUGIN(.name = "wire", .version = 1, .components = SHOAL_COMPONENTS(wire),
             .systems = SHOAL_SYSTEMS({.name = "hear", .run = hear}),
             .functions = SHOAL_FUNCTIONS({.name = "lie", .results = "bytes:number", .call = lie},
                                          {.name = "pure", .results = "bytes:number", .pure = true, .call = pure}))
