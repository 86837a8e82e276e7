// A plugin that writes NaNs with bits that arithmetic never produces. LuaJIT would interpret these bits as tables,
// strings and nil.
#include <shoal/plugin.h>

#include <string.h>

#define ODD_FIELDS(F) F(f32, value, 1) F(f64, wide, 1) F(mat4, matrix)
SHOAL_COMPONENT(odd, ODD_FIELDS)
#define ODDITY_FIELDS(F) F(f32, value, 1)
SHOAL_EVENT(oddity, ODDITY_FIELDS)

static const uint32_t FOUR[] = {0xffec0000, 0xfff80000, 0x7fc12345, 0xffc00000, 0x7f800001, 0xff800001, 0xffffffff};
static const uint64_t EIGHT[] = {0xfffd800000000000, 0xffff7fffffffffff, 0x7ff8000000000123, 0xfffb000012345678,
                                 0xfff0000000000001};

static void write_odd(shoal_context *c, const shoal_view *v, float dt_s) {
  shoal_world *w = shoal_get_world(c);
  float *value = SHOAL_COLUMN(v, odd, value);
  double *wide = SHOAL_COLUMN(v, odd, wide);
  float(*matrix)[16] = SHOAL_COLUMN(v, odd, matrix);
  (void)dt_s;
  for (uint32_t i = 0; i < v->count; ++i) {
    memcpy(&value[i], &FOUR[i % 7], 4);
    memcpy(&wide[i], &EIGHT[i % 5], 8);
    memcpy(&matrix[i][i % 16], &FOUR[i % 7], 4);
  }
  void *const *columns = shoal_emit_begin(w, &oddity_component, 1);
  memcpy(columns[0], &FOUR[0], 4);
  shoal_emit_end(w, &oddity_component);
}

static void give(shoal_context *c, const shoal_value *arguments, shoal_value *results) {
  (void)arguments;
  memcpy(&results[0].number, &EIGHT[0], 8);
  double *list = shoal_return_numbers(c, &results[1], 5);
  memcpy(list, EIGHT, sizeof EIGHT);
}

SHOAL_PLUGIN(.name = "nan", .version = 1, .components = SHOAL_COMPONENTS(odd, oddity),
             .systems = SHOAL_SYSTEMS({.name = "write", .query = {"odd"}, .run = write_odd}),
             .functions = SHOAL_FUNCTIONS({.name = "give", .results = "one:number all:number[]", .call = give}))
