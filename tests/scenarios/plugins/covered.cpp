// Checks which API functions (shoal/functions.h) have a C++ wrapper. Calls every wrapper with function tables that only
// count calls, and prints the names of functions that were not called: those that C++ code calls like C code. A new
// function is printed until its wrapper is called here.
#include <shoal/plugin.hpp>

#include <memory>

#define ALL_FUNCTIONS(F) SHOAL_WORLD_FUNCTIONS(F) SHOAL_STATE_FUNCTIONS(F) SHOAL_HOST_FUNCTIONS(F)

namespace {

enum index {
#define INDEX(name_, ...) at_##name_,
  ALL_FUNCTIONS(INDEX) count
};
unsigned calls[count];

// Zeroed memory that every function returns and that can be read as a list of columns.
alignas(16) void *zeros[256];
template <class T> T any_result() {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<T>(reinterpret_cast<uintptr_t>(zeros));
  else if constexpr (std::is_same_v<T, bool>)
    return true;
  else if constexpr (std::is_integral_v<T>)
    return T(1);
  else
    return T();
}

#define COUNT(name_, result_, otherwise_, where_, parameters_, ...)                                                    \
  result_ count_##name_ parameters_ {                                                                                  \
    ++calls[at_##name_];                                                                                               \
    return any_result<result_>();                                                                                      \
  }
ALL_FUNCTIONS(COUNT)

#define VAT_FIELDS(F) F(f32, heat, 0)
SHOAL_COMPONENT(vat, VAT_FIELDS)
SHOAL_CPP(vat)
SHOAL_MANY(cup, VAT_FIELDS)
SHOAL_CPP(cup)
SHOAL_EVENT(spill, VAT_FIELDS)
SHOAL_CPP(spill)
SHOAL_RELATION(fills, VAT_FIELDS)
SHOAL_CPP(fills)

// The views of the test have no columns, which loops over rows reject.
template <class F> void ignore_errors(F f) {
  try {
    f();
  } catch (const shoal::error &) {
  }
}

void call_wrappers(shoal_context *c) {
  shoal_value values[SHOAL_MAX_VALUES] = {};
  (void)shoal::plugin_state<int>(c);
  shoal::rows<vat_cpp> vats(c);
  shoal::emit<spill_cpp>(c, 1, [](const spill_columns &) {});
  (void)shoal::read_events<spill_cpp>(c);
  shoal::each_entity<vat_cpp>(c, nullptr, 0, [](shoal_entity, const vat_columns &, uint32_t) {});
  shoal::spawn(c, "vat", {shoal::set("vat", "heat", 1)});
  (void)shoal::get_children(c, 1);
  (void)shoal::find_entity(c, "Otto");
  shoal::enter_state(c, 1, "hot");
  (void)shoal::entity_state(c, 1);
  (void)shoal::entity_name(c, 1);
  (void)shoal::entity_assemblage(c, 1);
  shoal::query(c, {.with = {"cup"}}).instance<cup_cpp>(0);
  shoal::world world(shoal_get_world(c));
  shoal_entity e = 1;
  world.destroy(e);
  (void)world.last_error();
  world.spawn_many("vat", 1);
  world.set(e, "vat", "heat", 2.0);
  (void)world.get(e, "vat", "heat");
  (void)world.find_row<cup_cpp>(e, "left");
  ignore_errors([&] { world.each<vat_cpp>({.with = {"vat"}}, [](shoal_entity, const vat_columns &, uint32_t) {}); });
  world.add_pair<fills_cpp>(e, e, {e, 1});
  world.remove_pair<fills_cpp>(e, e);
  (void)world.has_pair<fills_cpp>(e, e);
  (void)world.get_pair<fills_cpp>(e, e);
  world.set_pair<fills_cpp>(e, e, 1, world.get_pair<fills_cpp>(e, e, 1));
  (void)world.find_pair_row<fills_cpp>(e, e);
  (void)world.targets<fills_cpp>(e);
  (void)world.referrers<fills_cpp>(e);
  ignore_errors([&] {
    world.each_pair<fills_cpp>({shoal::pair_with<fills_cpp>(e)}, [](shoal_entity, const fills_columns &, uint32_t) {});
  });
  (void)world.snapshot();
  (void)world.has<vat_cpp>(e);
  world.add<vat_cpp>(e);
  world.remove<vat_cpp>(e);
  world.set<vat_cpp>(e, world.get<vat_cpp>(e));
  world.add(e, {shoal::set("vat", "heat", 1)});
  world.set(e, "vat", "heat", std::string("warm"));
  (void)world.get_string(e, "vat", "heat");
  (void)world.observe_changes("eye", {.with = {"vat"}});
  (void)world.intern("text");
  (void)world.find_interned("text");
  (void)world.is_alive(e);
  world.component("vat");
  (void)world.hash();
  world.restore({1});
  world.save("x");
  world.load("x");
  (void)shoal::change_count<vat_cpp>(c);
  shoal::table_writer(c, values).table(nullptr, [](shoal::table_writer &w) { w.put("heat", 1); });
  shoal::detail::give(c, values[0], std::string("text"));
  shoal::detail::give(c, values[0], static_cast<const char *>("text"));
  shoal::function<double(double)>(c, "vat.boil", 1)(c, 1);
  shoal::job<int>(c, "work", std::vector<int>{1}, {1},
                  [](shoal::list<const int>, shoal::list<int>, const shoal_stop_token *) { return size_t{0}; });
  shoal::play_sound(c, {.file = "boil.ogg"});
  shoal::painter(c)
      .layer(1)
      .screen()
      .camera(1)
      .color(1, 1, 1)
      .additive()
      .depth(0)
      .line(0, 0, 1, 1)
      .circle(0, 0, 1)
      .rect(0, 0, 1, 1)
      .sprite({.image = "vat.png"})
      .text({.string = "hot"});
  (void)shoal::texture_create(c, "dot", 1, 1, {0, 0, 0, 0});
  shoal::set_uniform(c, 1, "heat", 1.0f);
  shoal::draw_triangles(c, {}, std::vector<shoal_vertex>(3));
  (void)shoal::get_asset<int>(c, "hot.vat");
  shoal::profile_scope boil(c, "boil");
}

} // namespace

int main() {
  shoal_api table = {};
#define ENTER(name_, ...) table.name_ = count_##name_;
  SHOAL_HOST_FUNCTIONS(ENTER)
  static const char *const names[] = {
#define NAME(name_, ...) #name_,
      ALL_FUNCTIONS(NAME)};
  shoal_world_api world_table = {};
#define ENTER_WORLD(name_, ...) world_table.name_ = count_##name_;
  SHOAL_WORLD_FUNCTIONS(ENTER_WORLD)
  SHOAL_STATE_FUNCTIONS(ENTER_WORLD)
  shoal_context c = {&table, {&world_table}};
  call_wrappers(&c);
  for (int i = 0; i < count; ++i)
    if (calls[i] == 0)
      puts(names[i]);
}
