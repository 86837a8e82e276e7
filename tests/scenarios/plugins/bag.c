// A plugin that writes the columns of a game's list: more values than the capacity, and values past the count.
#include <shoal/plugin.h>

#define BAG_FIELDS(F) F(u8, items_count, 0) F(u32, items_1, 0) F(u32, items_2, 0) F(u32, items_3, 0)
SHOAL_COMPONENT(bag, BAG_FIELDS)

static void pack(shoal_context *c, const shoal_view *v, float dt_s) {
  (void)c;
  (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i) {
    SHOAL_COLUMN(v, bag, items_count)[i] = (uint8_t)(i == 2 ? 9 : i);
    SHOAL_COLUMN(v, bag, items_1)[i] = 10 + i;
    SHOAL_COLUMN(v, bag, items_2)[i] = 20 + i;
    SHOAL_COLUMN(v, bag, items_3)[i] = 30 + i;
  }
}

SHOAL_PLUGIN(.name = "bag", .version = 1, .uses = SHOAL_COMPONENTS(bag),
             .systems = SHOAL_SYSTEMS({.name = "pack", .query = {"bag"}, .run = pack}))
