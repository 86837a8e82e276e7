// A C++ plugin that throws an exception in the function that the environment variable THROWS names, and counts local
// objects to check that unwinding destroys them. A macro for each function would require a compilation for each.
#include <shoal/plugin.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#define SCENT_FIELDS(F) F(f32, value, 1)

static bool throws_in(const char *function) {
  const char *name = std::getenv("THROWS");
  return name && std::strcmp(name, function) == 0;
}

static int alive_here;
struct held {
  held() { ++alive_here; }
  ~held() { --alive_here; }
};

static void *create(shoal_context *c) { return shoal_realloc(c, NULL, 0, 4); }
static void destroy(shoal_context *c, void *self) { shoal_realloc(c, self, 4, 0); }
static uint32_t held_rows;
static void attach(shoal_context *, void *, const shoal_entity *, uint32_t count) {
  held_rows += count;
  if (throws_in("attach"))
    throw std::runtime_error("no room for a scent");
}
static void detach(shoal_context *, void *, const shoal_entity *, uint32_t count) { held_rows -= count; }
static uint32_t count(void *) { return held_rows; }
static size_t save_bytes(shoal_context *, void *) { return 0; }
static void save(shoal_context *, void *, void *) {}
static bool load(shoal_context *, void *, const void *, size_t) {
  held_rows = 0;
  return true;
}
static const shoal_manager manager = {1, create, destroy, attach, detach, count, save_bytes, save, load, NULL};
SHOAL_COMPONENT_WITH_MANAGER(scent, SCENT_FIELDS, &manager)

static void part(void *, uint32_t number, uint32_t) {
  held here;
  if (number == 3)
    throw std::runtime_error("part 3 is too heavy");
}

static void sniff(shoal_context *c, const shoal_view *v, float) {
  held here;
  float *value = SHOAL_COLUMN(v, scent, value);
  for (uint32_t i = 0; i < v->count; ++i)
    value[i] += 1;
  if (throws_in("system") && shoal_tick(c) >= 2)
    throw std::out_of_range("the nose is too long");
  if (throws_in("system, a number"))
    throw 7;
  if (throws_in("system, a string"))
    throw "the nose is cold";
  if (throws_in("part"))
    shoal_parallel_for(c, part, NULL, 8);
}

static void smell(shoal_context *, const shoal_value *, shoal_value *results) {
  held here;
  if (results[0].count == 0)
    throw std::runtime_error("nothing to smell");
}

static void held_now(shoal_context *, const shoal_value *, shoal_value *results) { results[0].number = alive_here; }

static void *open(shoal_context *) {
  if (throws_in("open"))
    throw std::runtime_error("it stinks");
  return NULL;
}

#ifdef PARALLEL
#define HOW true
#else
#define HOW false
#endif

// clang-format off
SHOAL_PLUGIN(
    .name = "throws", .version = 1, .components = SHOAL_COMPONENTS(scent),
    .systems = SHOAL_SYSTEMS({.name = "sniff", .query = {"scent"}, .parallel = HOW, .run = sniff}),
    .functions = SHOAL_FUNCTIONS({.name = "smell", .results = "x:number", .call = smell},
                                 {.name = "held", .results = "x:number", .call = held_now}),
    .open = open)
