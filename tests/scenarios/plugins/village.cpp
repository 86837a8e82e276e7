// A C++ plugin that uses each service through <shoal/plugin.hpp> and stores the results in the singleton `village`.
#include <shoal/plugin.hpp>

#include <memory>
#include <stdexcept>

#define VILLAGE_FIELDS(F)                                                                                              \
  F(u32, dogs, 0)                                                                                                      \
  F(u32, coins, 0)                                                                                                     \
  F(string, mode, "")                                                                                                  \
  F(entity, otto) F(u32, added, 0) F(u32, heard, 0) F(u32, changes, 0) F(u32, changed, 0) F(f64, way, 0)               \
      F(u32, dye, 0) F(u32, rang, 0) F(entity, hum) F(u32, thrown, 0)
SHOAL_SINGLE(village, VILLAGE_FIELDS)
SHOAL_CPP(village)
#define POCKET_FIELDS(F) F(u32, coins, 0)
SHOAL_MANY(pocket, POCKET_FIELDS)
SHOAL_CPP(pocket)
#define MOOD_FIELDS(F) F(f32, joy, 1) F(enum, kind, "calm merry")
SHOAL_COMPONENT(mood, MOOD_FIELDS)
SHOAL_CPP(mood)
#define RANG_FIELDS(F) F(u32, times, 0)
SHOAL_EVENT(rang, RANG_FIELDS)
SHOAL_CPP(rang)

struct dye {
  int colours = 0;
};

struct memory {
  std::vector<shoal_vertex> triangle = std::vector<shoal_vertex>(3, shoal_vertex{10, 10, 0, 0, 1, 0, 0, 1});
  shoal_texture dots = 0;

  explicit memory(shoal_context *c) : dots(shoal::texture_create(c, "dots", 2, 1, {255, 0, 0, 255, 0, 255, 0, 255})) {
    triangle[1].x = triangle[2].y = 30;
  }
};

static void settle(shoal_context *c, const shoal_view *, float) {
  if (shoal::find_entity(c, "Otto"))
    return;
  std::string name = "Otto";
  shoal_entity otto =
      shoal::spawn(c, "villager",
                   {shoal::set("name", "value", name), shoal::set("mood", "kind", "merry"),
                    shoal::for_instance("left", shoal::set("pocket", "coins", 3)),
                    shoal::for_instance("right", shoal::set("pocket", "coins", 4)), shoal::add("velocity"),
                    shoal::for_child("dog", shoal::set("transform", "x", 5.5))});
  shoal::enter_state(c, otto, "asleep");
  shoal::rows<village_cpp> village(c);
  village->hum[0] = shoal::play_sound(c, {.file = "hum.ogg", .loop = true});
  shoal::emit<rang_cpp>(c, 2, [](const rang_columns &rang) { rang.times[0] = 2, rang.times[1] = 5; });
}

static void look(shoal_context *c, const shoal_view *, float) {
  shoal::profile_scope all(c, "look");
  shoal::rows<village_cpp> village(c);
  auto otto = shoal::find_entity(c, "Otto");
  if (!otto)
    return;
  village->otto[0] = *otto;
  village->dogs[0] = static_cast<uint32_t>(shoal::get_children(c, *otto).size());
  village->mode[0] = shoal_intern(shoal_get_world(c), shoal::entity_state(c, *otto).c_str());
  village->coins[0] = 0;
  {
    shoal::profile_scope rows(c, "rows");
    shoal::query pockets(c, {.with = {"pocket", "mood"}, .without = {"camera"}});
    for (uint32_t i = 0; i < pockets.count(); ++i)
      if (pockets.entity(i) == *otto && pockets.instance<pocket_cpp>(i) == std::string("right"))
        village->coins[0] += shoal::columns<pocket_cpp>(pockets.view()).coins[i];
    shoal::each(pockets, [](mood_row &mood) { mood.joy += 1; });
  }
  village->changed[0] += shoal::change_count<mood_cpp>(c) > 0;
  village->changes[0] = static_cast<uint32_t>(shoal::change_count<mood_cpp>(c));
  auto rang = shoal::read_events<rang_cpp>(c);
  for (uint32_t i = 0; i < rang.count(); ++i)
    village->rang[0] += rang->times[i];
  if (const dye *d = shoal::get_asset<dye>(c, "wall.dye"))
    village->dye[0] = static_cast<uint32_t>(d->colours);
  const std::vector<float> map = {1, 2, 3, 4};
  auto way = shoal::job<double>(c, "way", map, {12, 2},
                                [](shoal::list<const float> in, shoal::list<double> out, const shoal_stop_token *) {
                                  for (float x : in)
                                    out[0] += x;
                                  out[1] = in[3];
                                  return size_t{2};
                                });
  if (way && way->count == 2)
    village->way[0] = (*way)[0] * 10 + (*way)[1];
}

// Throws while a scope and a query are open, which must both be closed.
static void trip(shoal_context *c, const shoal_view *, float) {
  shoal::profile_scope whole(c, "trip");
  shoal::query rows(c, {.with = {"mood"}});
#ifdef THROWS
  if (shoal_tick(c) == 3)
    throw std::runtime_error("it tripped");
#endif
}

static void draw(shoal_context *c, const shoal_view *, float) {
  auto &m = shoal::plugin_state<memory>(c);
  { shoal::painter(c).layer(3).screen().color(0, 0, 1).rect(40, 10, 20, 20).color(0, 1, 0).circle(80, 20, 8); }
  shoal::draw_triangles(c, {}, m.triangle);
}

SHOAL_PLUGIN(.name = "village", .version = 1, .components = SHOAL_COMPONENTS(village, pocket, mood, rang),
             .systems = SHOAL_SYSTEMS({.name = "settle", .run = settle},
                                      {.name = "look", .after = {"settle"}, .run = look}, {.name = "trip", .run = trip},
                                      {.name = "draw", .phase = SHOAL_PHASE_RENDER, .run = draw}),
             .functions = SHOAL_FUNCTIONS(
                 shoal::define_pure("plan", "options", "answer speed", "",
                                    [](shoal_context *, shoal::table_view options) {
                                      double speed = options.get("walk.speed", 60.0);
                                      std::string list;
                                      options.at("stops").each([&](const shoal_value &, const shoal_value &stop) {
                                        list += std::string(stop.string, stop.count) + ";";
                                      });
                                      auto answer = shoal::make_table([=](shoal::table_writer &w) {
                                        w.put("seconds", 480 / speed).put("fine", true).put("list", list);
                                        w.table("way",
                                                [](shoal::table_writer &way) { way.add("by the river").add(7); });
                                      });
                                      return std::tuple<decltype(answer), double>(answer, speed);
                                    }),
                 shoal::define_pure("bytes", "text", "twice", "",
                                    [](shoal_context *, std::string text) { return text + text; })),
             .open = shoal::open<memory>, .close = shoal::close<memory>,
             .observers = SHOAL_OBSERVERS({.name = "hear",
                                           .query = {"mood"},
                                           .enter = [](shoal_context *c, const shoal_entity *, uint32_t count,
                                                       float) { shoal::rows<village_cpp>(c)->added[0] += count; },
                                           .changed =
                                               [](shoal_context *c, const shoal_entity *who, uint32_t count, float) {
                                                 shoal::rows<village_cpp> village(c);
                                                 shoal::each_entity<mood_cpp>(
                                                     c, who, count,
                                                     [&](shoal_entity, const mood_columns &mood, uint32_t row) {
                                                       village->heard[0] += mood.joy[row] > 1;
                                                     });
                                               }}),
             .commands = SHOAL_COMMANDS({.name = "Ring",
                                         .run = [](shoal_context *c,
                                                   shoal_entity) { shoal::rows<village_cpp>(c)->rang[0] += 100; }}),
             .assets = SHOAL_ASSETS(shoal::make_asset_type<dye>(".dye", [](shoal_context *c, const char *,
                                                                           std::string_view bytes) {
               auto d = std::make_unique<dye>();
               for (char x : bytes)
                 d->colours += x == '#';
               if (d->colours == 0)
                 shoal_report_asset_error(c, 1, "there is no colour in it"), d.reset();
               return d;
             })))
